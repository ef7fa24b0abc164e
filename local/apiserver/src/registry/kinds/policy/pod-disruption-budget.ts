import { equalJson, type FieldError, FieldPath, invalid, notSupported, validateLabelSelector } from '@tektite/meta';
import type { PodDisruptionBudget } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { validateConditions } from '../conditions.ts';
import { checkNonNegative } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { checkAtMostAll, checkIntOrPercent } from '../int-or-percent.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { podDisruptionBudgetColumns } from './columns.ts';

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

function validateBudget({ spec = {} }: PodDisruptionBudget): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec');
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const shown = goValue('PodDisruptionBudgetSpec', spec);
    errors.push(invalid(path, shown, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    const amount = spec[field];
    if (amount === undefined) continue;
    checkIntOrPercent(amount, path.child(field), errors);
    checkAtMostAll(amount, path.child(field), errors);
  }
  errors.push(...validateLabelSelector(spec.selector, path.child('selector')));
  const policy = spec.unhealthyPodEvictionPolicy;
  if (policy !== undefined && !evictionPolicies.includes(policy))
    errors.push(notSupported(path.child('unhealthyPodEvictionPolicy'), policy, evictionPolicies));
  return errors;
}

function validateBudgetStatus({ status }: PodDisruptionBudget): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('status');
  validateConditions(status?.conditions, path.child('conditions'), errors);
  for (const field of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const)
    checkNonNegative(status?.[field], path.child(field), errors);
  return errors;
}

const amountCell = (amount: number | string | undefined): string => (amount === undefined ? 'N/A' : String(amount));

export const podDisruptionBudgetStrategy: KindStrategy<PodDisruptionBudget> = {
  metadataRules: { onCreate: false, onUpdate: 'none' },
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: validateBudget,
  validateUpdate: validateBudget,
  subresources: { status: { validateUpdate: validateBudgetStatus } },
  table: {
    columns: podDisruptionBudgetColumns,
    row: (budget, context) => [
      nameOf(budget),
      amountCell(budget.spec?.minAvailable),
      amountCell(budget.spec?.maxUnavailable),
      budget.status?.disruptionsAllowed ?? 0,
      ageOf(budget, context),
    ],
  },
  generationChanged: (budget, old) => !equalJson(budget.spec, old.spec),
  allowUnconditionalUpdate: false,
};
