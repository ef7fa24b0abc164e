import type { ComponentStatus } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { nameOf } from '../table/cells.ts';
import { componentStatusColumns } from './columns.ts';

export const componentStatusStrategy: KindStrategy<ComponentStatus> = {
  deprecationWarning: 'v1 ComponentStatus is deprecated in v1.19+',
  table: {
    columns: componentStatusColumns,
    row(component) {
      const health = component.conditions?.find(({ type }) => type === 'Healthy');
      const status = health && (health.status === 'True' ? 'Healthy' : 'Unhealthy');
      return [nameOf(component), status ?? 'Unknown', health?.message ?? '', health?.error ?? ''];
    },
  },
};
