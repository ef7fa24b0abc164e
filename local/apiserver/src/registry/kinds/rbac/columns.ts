import type { TableColumn } from '../../kind-strategy.ts';
import { age, column, name, wide } from '../table/columns.ts';

export const roleBindingColumns: readonly TableColumn[] = [
  name,
  column(
    'Role',
    'string',
    'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
  ),
  age,
  wide('Users', 'Users in the roleBinding'),
  wide('Groups', 'Groups in the roleBinding'),
  wide('ServiceAccounts', 'ServiceAccounts in the roleBinding'),
];

export const clusterRoleBindingColumns: readonly TableColumn[] = [
  name,
  column(
    'Role',
    'string',
    'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
  ),
  age,
  wide('Users', 'Users in the clusterRoleBinding'),
  wide('Groups', 'Groups in the clusterRoleBinding'),
  wide('ServiceAccounts', 'ServiceAccounts in the clusterRoleBinding'),
];
