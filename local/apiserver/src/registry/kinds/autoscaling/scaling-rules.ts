import {
  type FieldError,
  type FieldPath,
  invalid,
  type Mutable,
  notSupported,
  Quantity,
  required,
} from '@tektite/meta';
import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from '@tektite/schema/kubernetes';
import { checkPositive } from '../field-checks.ts';

const maxWindow = 3600;
const maxPeriod = 1800;

/** The defaults of scaling rules: grow by four Pods or double, shrink to nothing. */
export function defaultBehavior(behavior: Mutable<HorizontalPodAutoscalerBehavior>): void {
  behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
    ...behavior.scaleUp,
  };
  behavior.scaleDown = {
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    ...behavior.scaleDown,
  };
}

export function validateScalingRules(rules: HPAScalingRules | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!rules) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  const windowPath = path.child('stabilizationWindowSeconds');
  if (window !== undefined && window < 0)
    errors.push(invalid(windowPath, window, 'must be greater than or equal to zero'));
  if (window !== undefined && window > maxWindow)
    errors.push(invalid(windowPath, window, `must be less than or equal to ${maxWindow}`));
  if (selectPolicy !== undefined && !['Max', 'Min', 'Disabled'].includes(selectPolicy))
    errors.push(notSupported(path.child('selectPolicy'), selectPolicy, ['Disabled', 'Max', 'Min']));
  if (policies.length === 0) errors.push(required(path.child('policies'), 'must specify at least one Policy'));
  for (const [i, policy] of policies.entries()) validateScalingPolicy(policy, path.child('policies').index(i), errors);
  if (tolerance !== undefined && Quantity.parse(tolerance).compare(Quantity.of(0)) < 0)
    errors.push(invalid(path.child('tolerance'), tolerance, 'must be greater than or equal to 0'));
}

function validateScalingPolicy(policy: HPAScalingPolicy, path: FieldPath, errors: FieldError[]): void {
  const { type = '', value = 0, periodSeconds = 0 } = policy;
  if (type !== 'Pods' && type !== 'Percent') errors.push(notSupported(path.child('type'), type, ['Percent', 'Pods']));
  checkPositive(value, path.child('value'), errors);
  checkPositive(periodSeconds, path.child('periodSeconds'), errors);
  if (periodSeconds > maxPeriod)
    errors.push(invalid(path.child('periodSeconds'), periodSeconds, `must be less than or equal to ${maxPeriod}`));
}
