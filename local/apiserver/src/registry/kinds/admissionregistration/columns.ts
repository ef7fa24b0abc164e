import type { TableColumn } from '../../kind-strategy.ts';
import { age, column, name } from '../table/columns.ts';

export const mutatingWebhookConfigurationColumns: readonly TableColumn[] = [
  name,
  column('Webhooks', 'integer', 'Webhooks indicates the number of webhooks registered in this configuration'),
  age,
];

export const validatingWebhookConfigurationColumns: readonly TableColumn[] = [
  name,
  column('Webhooks', 'integer', 'Webhooks indicates the number of webhooks registered in this configuration'),
  age,
];

export const validatingAdmissionPolicyColumns: readonly TableColumn[] = [
  name,
  column(
    'Validations',
    'integer',
    'Validations indicates the number of validation rules defined in this configuration',
  ),
  column('ParamKind', 'string', 'ParamKind specifies the kind of resources used to parameterize this policy'),
  age,
];

export const validatingAdmissionPolicyBindingColumns: readonly TableColumn[] = [
  name,
  column('PolicyName', 'string', 'PolicyName indicates the policy definition which the policy binding binded to'),
  column('ParamRef', 'string', 'ParamRef indicates the param resource which sets the configuration param'),
  age,
];

export const mutatingAdmissionPolicyColumns: readonly TableColumn[] = [
  name,
  column('Mutations', 'integer', 'Mutation indicates the number of mutations rules defined in this configuration'),
  column('ParamKind', 'string', 'ParamKind specifies the kind of resources used to parameterize this policy'),
  age,
];

export const mutatingAdmissionPolicyBindingColumns: readonly TableColumn[] = [
  name,
  column('PolicyName', 'string', 'PolicyName indicates the policy definition which the policy binding binded to'),
  column('ParamRef', 'string', 'ParamRef indicates the param resource which sets the configuration param'),
  age,
];
