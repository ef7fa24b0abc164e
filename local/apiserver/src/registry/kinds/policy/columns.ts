import type { TableColumn } from '../../kind-strategy.ts';
import { age, column, name } from '../table/columns.ts';

export const podDisruptionBudgetColumns: readonly TableColumn[] = [
  name,
  column('Min Available', 'string', 'The minimum number of pods that must be available.'),
  column('Max Unavailable', 'string', 'The maximum number of pods that may be unavailable.'),
  column('Allowed Disruptions', 'integer', 'Calculated number of pods that may be disrupted at this time.'),
  age,
];
