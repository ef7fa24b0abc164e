import type { APIService } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { keepStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { apiServiceColumns } from './columns.ts';

function availability({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (!condition) return 'Unknown';
  return condition.status !== 'True' && condition.reason
    ? `${condition.status} (${condition.reason})`
    : condition.status;
}

export const apiServiceStrategy: KindStrategy<APIService> = {
  prepareForUpdate: keepStatus,
  table: {
    columns: apiServiceColumns,
    row: (service, context) => {
      const { namespace, name } = service.spec?.service ?? {};
      return [
        nameOf(service),
        service.spec?.service ? `${namespace ?? ''}/${name ?? ''}` : 'Local',
        availability(service),
        ageOf(service, context),
      ];
    },
  },
  allowUnconditionalUpdate: false,
};
