import { type FieldError, FieldPath, invalid, type Mutable, required } from '@tektite/meta';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerSpecV1,
  HorizontalPodAutoscalerV1,
  MetricSpec,
  MetricStatus,
} from '@tektite/schema/kubernetes';
import type { KindStrategy, TablePrinter } from '../../kind-strategy.ts';
import { checkNonNegative } from '../field-checks.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { horizontalPodAutoscalerColumns } from './columns.ts';
import { formatMetrics } from './metric-cells.ts';
import { validateMetrics, validateReference } from './metrics.ts';
import { defaultBehavior, validateScalingRules } from './scaling-rules.ts';

type AnyAutoscaler = HorizontalPodAutoscaler | HorizontalPodAutoscalerV1;

/** A spec with nothing set, for autoscalers that lack theirs. */
const noSpec = {} as Partial<HorizontalPodAutoscalerSpec>;
const defaultUtilization = 80;

function cpuMetric(averageUtilization: number) {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function defaultAutoscaler(autoscaler: Mutable<HorizontalPodAutoscaler>): void {
  const spec = (autoscaler.spec ??= {} as Mutable<HorizontalPodAutoscalerSpec>);
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) spec.metrics = [cpuMetric(defaultUtilization)];
  if (spec.behavior) defaultBehavior(spec.behavior);
}

/** Version 1 knows one metric only, the use of processors. */
function specOfV1(spec: HorizontalPodAutoscalerSpecV1 | undefined): Partial<HorizontalPodAutoscalerSpec> {
  const { targetCPUUtilizationPercentage = defaultUtilization, ...rest } = spec ?? {};
  return { ...rest, metrics: [cpuMetric(targetCPUUtilizationPercentage)] };
}

function validateSpec(
  spec: Partial<HorizontalPodAutoscalerSpec>,
  old?: Partial<HorizontalPodAutoscalerSpec>,
): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec');
  const { minReplicas, maxReplicas = 0, scaleTargetRef: target, metrics = [], behavior } = spec;
  if (minReplicas !== undefined && minReplicas < 1)
    errors.push(invalid(path.child('minReplicas'), minReplicas, 'must be greater than or equal to 1'));
  if (maxReplicas === 0) errors.push(required(path.child('maxReplicas'), 'must be set and greater than 0'));
  else if (maxReplicas < 0)
    errors.push(invalid(path.child('maxReplicas'), maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid(path.child('maxReplicas'), maxReplicas, 'must be greater than or equal to `minReplicas`'));
  const before = old?.scaleTargetRef;
  validateReference(target, path.child('scaleTargetRef'), errors, {
    anyVersion: before !== undefined && before.apiVersion === target?.apiVersion && before.kind === target?.kind,
    coreGroup: target?.kind === 'ReplicationController',
  });
  validateMetrics(metrics, minReplicas, path.child('metrics'), errors);
  validateScalingRules(behavior?.scaleUp, path.child('behavior', 'scaleUp'), errors);
  validateScalingRules(behavior?.scaleDown, path.child('behavior', 'scaleDown'), errors);
  return errors;
}

function validateStatus({ status }: AnyAutoscaler): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['currentReplicas', 'desiredReplicas'] as const)
    checkNonNegative(status?.[field], FieldPath.of('status', field), errors);
  return errors;
}

function autoscalerTable<T extends AnyAutoscaler>(
  metricsOf: (autoscaler: T) => readonly [readonly MetricSpec[], readonly MetricStatus[]],
): TablePrinter<T> {
  return {
    columns: horizontalPodAutoscalerColumns,
    row(autoscaler, context) {
      const { scaleTargetRef, minReplicas, maxReplicas } = autoscaler.spec ?? noSpec;
      const [specs, statuses] = metricsOf(autoscaler);
      return [
        nameOf(autoscaler),
        `${scaleTargetRef?.kind ?? ''}/${scaleTargetRef?.name ?? ''}`,
        formatMetrics(specs, statuses),
        minReplicas === undefined ? '<unset>' : String(minReplicas),
        maxReplicas ?? 0,
        autoscaler.status?.currentReplicas ?? 0,
        ageOf(autoscaler, context),
      ];
    },
  };
}

export const horizontalPodAutoscalerStrategy: KindStrategy<HorizontalPodAutoscaler> = {
  default: defaultAutoscaler,
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: ({ spec }) => validateSpec(spec ?? noSpec),
  validateUpdate: ({ spec }, old) => validateSpec(spec ?? noSpec, old.spec),
  subresources: { status: { validateUpdate: validateStatus } },
  table: autoscalerTable(({ spec, status }) => [spec?.metrics ?? [], status?.currentMetrics ?? []]),
};

export const horizontalPodAutoscalerV1Strategy: KindStrategy<HorizontalPodAutoscalerV1> = {
  default(autoscaler) {
    const spec = (autoscaler.spec ??= {} as Mutable<HorizontalPodAutoscalerSpecV1>);
    spec.minReplicas ??= 1;
    spec.targetCPUUtilizationPercentage ??= defaultUtilization;
  },
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: ({ spec }) => validateSpec(specOfV1(spec)),
  validateUpdate: ({ spec }, old) => validateSpec(specOfV1(spec), specOfV1(old.spec)),
  subresources: { status: { validateUpdate: validateStatus } },
  table: autoscalerTable(({ spec, status }) => [
    specOfV1(spec).metrics ?? [],
    status?.currentCPUUtilizationPercentage === undefined
      ? []
      : [
          {
            type: 'Resource',
            resource: { name: 'cpu', current: { averageUtilization: status.currentCPUUtilizationPercentage } },
          },
        ],
  ]),
};
