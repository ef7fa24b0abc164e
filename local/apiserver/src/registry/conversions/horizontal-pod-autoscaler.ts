import { cloneJson, type KubeObject, type Mutable } from '@tektite/meta';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerV1, MetricSpec } from '@tektite/schema/kubernetes';
import type { BuiltinConversion } from '../builtin-resource.ts';
import type { Draft } from '../resource.ts';

/** Where version 1 keeps what it has no fields for. */
const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const currentMetricsAnnotation = 'autoscaling.alpha.kubernetes.io/current-metrics';
const conditionsAnnotation = 'autoscaling.alpha.kubernetes.io/conditions';
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';

type V1 = Mutable<HorizontalPodAutoscalerV1>;
type V2 = Mutable<HorizontalPodAutoscaler>;

function toV2(object: Draft): Draft {
  const { spec, status, ...rest } = object as V1;
  const annotations = { ...rest.metadata.annotations };
  const take = (name: string): unknown => {
    const text = annotations[name];
    delete annotations[name];
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };
  const { targetCPUUtilizationPercentage: target, ...common } = spec ?? ({} as NonNullable<V1['spec']>);
  const metrics = [...((take(metricsAnnotation) as Mutable<MetricSpec>[] | undefined) ?? [])];
  if (target !== undefined) {
    metrics.unshift({
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } },
    });
  }
  const behavior = lowerKeys(take(behaviorAnnotation)) as NonNullable<V2['spec']>['behavior'];
  const {
    currentCPUUtilizationPercentage: current,
    currentReplicas,
    ...commonStatus
  } = status ?? ({} as NonNullable<V1['status']>);
  const currentMetrics = take(currentMetricsAnnotation) as NonNullable<V2['status']>['currentMetrics'] | undefined;
  const conditions = take(conditionsAnnotation) as NonNullable<V2['status']>['conditions'] | undefined;
  const cpu =
    current === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }];
  const metadata = { ...rest.metadata, annotations };
  if (Object.keys(annotations).length === 0) delete (metadata as { annotations?: unknown }).annotations;
  return {
    ...rest,
    apiVersion: 'autoscaling/v2',
    metadata,
    spec: { ...common, ...(metrics.length > 0 ? { metrics } : {}), ...(behavior ? { behavior } : {}) },
    status: {
      ...commonStatus,
      ...(currentReplicas ? { currentReplicas } : {}),
      currentMetrics: [...cpu, ...(currentMetrics ?? [])].length > 0 ? [...cpu, ...(currentMetrics ?? [])] : null,
      ...(conditions ? { conditions } : {}),
    },
  } as Draft;
}

function isCpuUtilization({ type, resource }: MetricSpec): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;
}

function toV1(object: KubeObject): KubeObject {
  const { spec, status, ...rest } = cloneJson(object) as V2;
  const { metrics = [], behavior, ...common } = spec ?? ({} as NonNullable<V2['spec']>);
  const cpu = metrics.find(isCpuUtilization);
  const others = metrics.filter((metric) => metric !== cpu);
  const { currentMetrics, conditions, ...commonStatus } = status ?? ({} as NonNullable<V2['status']>);
  const currentCpu = currentMetrics?.find(
    ({ resource }) => resource?.name === 'cpu' && resource.current.averageUtilization !== undefined,
  );
  const otherCurrent = currentMetrics?.filter((metric) => metric !== currentCpu) ?? [];
  const annotations: Record<string, string> = {
    ...rest.metadata.annotations,
    ...(others.length > 0 ? { [metricsAnnotation]: JSON.stringify(others) } : {}),
    ...(behavior ? { [behaviorAnnotation]: JSON.stringify(internalBehavior(behavior)) } : {}),
    ...(otherCurrent.length > 0 ? { [currentMetricsAnnotation]: JSON.stringify(otherCurrent) } : {}),
    ...(conditions?.length ? { [conditionsAnnotation]: JSON.stringify(conditions) } : {}),
  };
  const target = cpu?.resource?.target.averageUtilization;
  const current = currentCpu?.resource?.current.averageUtilization;
  return {
    ...rest,
    apiVersion: 'autoscaling/v1',
    metadata: { ...rest.metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
    spec: { ...common, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: {
      currentReplicas: 0,
      ...commonStatus,
      ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
    },
  } as KubeObject;
}

type Behavior = NonNullable<NonNullable<HorizontalPodAutoscaler['spec']>['behavior']>;

/** The behaviour as upstream puts it into the annotation: its own struct, with Go's names and nulls. */
function internalBehavior({ scaleUp, scaleDown }: Mutable<Behavior>): object {
  const rules = (side: Mutable<Behavior>['scaleUp']) =>
    side
      ? {
          StabilizationWindowSeconds: side.stabilizationWindowSeconds ?? null,
          SelectPolicy: side.selectPolicy ?? null,
          Policies:
            side.policies?.map(({ type, value, periodSeconds }) => ({
              Type: type,
              Value: value,
              PeriodSeconds: periodSeconds,
            })) ?? null,
          Tolerance: side.tolerance ?? null,
        }
      : null;
  return { ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) };
}

/** The same on its way back. */
function lowerKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null)
      .map(([key, child]) => [key.charAt(0).toLowerCase() + key.slice(1), lowerKeys(child)]),
  );
}

/** Version 1 of the autoscaler, which knows CPU alone, on top of the stored version 2. */
export const horizontalPodAutoscalerConversion: BuiltinConversion = {
  storagePrefix: '/registry/horizontalpodautoscalers/',
  storageVersion: 'autoscaling/v2',
  toStorage: toV2,
  fromStorage: toV1,
};
