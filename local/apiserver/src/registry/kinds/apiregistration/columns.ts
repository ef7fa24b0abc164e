import type { TableColumn } from '../../kind-strategy.ts';
import { age, column, name } from '../table/columns.ts';

export const apiServiceColumns: readonly TableColumn[] = [
  name,
  column('Service', 'string', 'The reference to the service that hosts this API endpoint.'),
  column('Available', 'string', 'Whether this service is available.'),
  age,
];
