import type { TableColumn } from '../../kind-strategy.ts';
import { age, column, name } from '../table/columns.ts';

export const runtimeClassColumns: readonly TableColumn[] = [name, column('Handler', 'string', ''), age];
