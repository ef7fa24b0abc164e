import type { Mutable } from '@tektite/meta';
import type { ServiceAccount } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { serviceAccountColumns } from './columns.ts';

const enforceMountable = 'kubernetes.io/enforce-mountable-secrets';

/** Of the secrets of an account only the names mean something. */
function keepSecretNames(account: Mutable<ServiceAccount>): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

export const serviceAccountStrategy: KindStrategy<ServiceAccount> = {
  metadataRules: { onUpdate: 'both' },
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  warnings(account, old) {
    const uses = (object: ServiceAccount | undefined) => object?.metadata.annotations?.[enforceMountable] !== undefined;
    if (!uses(account) || uses(old)) return [];
    return [
      `metadata.annotations[${enforceMountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    ];
  },
  table: {
    columns: serviceAccountColumns,
    row: (account, context) => [nameOf(account), ageOf(account, context)],
  },
  returnDeletedObject: true,
};
