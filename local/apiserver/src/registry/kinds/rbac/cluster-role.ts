import {
  type FieldError,
  FieldPath,
  invalid,
  validatePathSegmentName,
  required,
  validateLabelSelector,
} from '@tektite/meta';
import type { ClusterRole } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { defaultTable } from '../table/cells.ts';
import { readSelector } from '../core/workload.ts';
import { validatePolicyRules } from './policy-rules.ts';

function validateClusterRole({ rules, aggregationRule }: ClusterRole): FieldError[] {
  const errors: FieldError[] = [];
  validatePolicyRules(rules, false, FieldPath.of('rules'), errors);
  if (!aggregationRule) return errors;
  const path = FieldPath.of('aggregationRule', 'clusterRoleSelectors');
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  for (const [i, selector] of selectors.entries()) {
    errors.push(...validateLabelSelector(selector, path.index(i)));
    if (!readSelector(selector)) errors.push(invalid(path.index(i), null, 'invalid label selector.'));
  }
  return errors;
}

export const clusterRoleStrategy: KindStrategy<ClusterRole> = {
  metadataRules: { onUpdate: 'create-then-update' },
  validateName: validatePathSegmentName,
  validateCreate: validateClusterRole,
  validateUpdate: validateClusterRole,
  table: defaultTable,
  allowCreateOnUpdate: true,
};
