import { type FieldError, FieldPath, validatePathSegmentName, required } from '@tektite/meta';
import type { IPAddress } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkDnsSubdomain, checkImmutable, checkText } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { isCanonicalIp } from '../network/validate-ip.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { ipAddressColumns } from './columns.ts';

const path = FieldPath.of('spec', 'parentRef');

function validateIpAddress({ spec }: IPAddress): FieldError[] {
  const errors: FieldError[] = [];
  const parent = spec?.parentRef;
  if (!parent) return [required(path)];
  if (parent.group) checkDnsSubdomain(parent.group, path.child('group'), errors);
  for (const field of ['resource', 'name', 'namespace'] as const) {
    const value = parent[field];
    if (value) checkText(value, validatePathSegmentName, path.child(field), errors);
    else if (field !== 'namespace') errors.push(required(path.child(field)));
  }
  return errors;
}

function formatParent({ spec }: IPAddress): string {
  if (!spec?.parentRef) return '<none>';
  const { group = '', resource = '', namespace = '', name = '' } = spec.parentRef;
  const kind = (group === '' ? resource : `${resource}.${group}`).toLowerCase();
  return namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

export const ipAddressStrategy: KindStrategy<IPAddress> = {
  metadataRules: { onUpdate: 'both' },
  validateName: isCanonicalIp,
  validateCreate: validateIpAddress,
  validateUpdate(address, old) {
    const errors = validateIpAddress(address);
    checkImmutable(address.spec?.parentRef, old.spec?.parentRef, path, errors, (parent) =>
      parent ? goValue('ParentReference', parent) : null,
    );
    return errors;
  },
  table: {
    columns: ipAddressColumns,
    row: (address, context) => [nameOf(address), formatParent(address), ageOf(address, context)],
  },
};
