import { type FieldError, FieldPath, validatePathSegmentName } from '@tektite/meta';
import type { Role } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { defaultTable } from '../table/cells.ts';
import { validatePolicyRules } from './policy-rules.ts';

function validateRole({ rules }: Role): FieldError[] {
  const errors: FieldError[] = [];
  validatePolicyRules(rules, true, FieldPath.of('rules'), errors);
  return errors;
}

export const roleStrategy: KindStrategy<Role> = {
  metadataRules: { onUpdate: 'create-then-update' },
  validateName: validatePathSegmentName,
  validateCreate: validateRole,
  validateUpdate: validateRole,
  table: defaultTable,
  allowCreateOnUpdate: true,
};
