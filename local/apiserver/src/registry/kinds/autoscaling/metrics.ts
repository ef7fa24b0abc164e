import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  validatePathSegmentName,
  notSupported,
  Quantity,
  required,
} from '@tektite/meta';
import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '@tektite/schema/kubernetes';
import { validateContainerResourceName } from '../core/resource-names.ts';
import { checkDnsLabel, checkText } from '../field-checks.ts';

const types = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const fieldOfType: Readonly<Record<string, keyof MetricSpec>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};
/** In upstream's order: only the first that is present is validated. */
const sources = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;

/** Validates the metrics of an autoscaler. */
export function validateMetrics(
  metrics: readonly MetricSpec[],
  minReplicas: number | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, metric] of metrics.entries()) validateMetric(metric, path.index(i), errors);
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External'))
    errors.push(
      forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'),
    );
}

function validateMetric(metric: MetricSpec, path: FieldPath, errors: FieldError[]): void {
  const { type = '' } = metric;
  const expected = fieldOfType[type];
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric source type'));
  if (!expected) errors.push(notSupported(path.child('type'), type, types));
  const present = sources.filter((source) => metric[source] !== undefined);
  if (present[0]) validateSource(present[0], metric, path.child(present[0]), errors);
  if (!expected) errors.push(notSupported(path.child('type'), type, types));
  else if (metric[expected] === undefined)
    errors.push(required(path.child(expected), 'must populate information for the given metric source'));
  if (present.length === 1) return;
  for (const source of present)
    if (source !== expected) errors.push(forbidden(path.child(source), 'must populate the given metric source only'));
}

function validateSource(source: (typeof sources)[number], metric: MetricSpec, path: FieldPath, errors: FieldError[]) {
  switch (source) {
    case 'object':
      return validateObjectSource(metric.object as ObjectMetricSource, path, errors);
    case 'external':
      return validateExternalSource(metric.external as ExternalMetricSource, path, errors);
    case 'pods':
      return validatePodsSource(metric.pods as PodsMetricSource, path, errors);
    case 'resource':
      return validateResourceSource(metric.resource as ResourceMetricSource, path, errors);
    case 'containerResource':
      return validateContainerSource(metric.containerResource as ContainerResourceMetricSource, path, errors);
  }
}

function validateObjectSource(source: ObjectMetricSource, path: FieldPath, errors: FieldError[]): void {
  validateReference(source.describedObject, path.child('describedObject'), errors, { coreGroup: true });
  validateIdentifier(source.metric, path.child('metric'), errors);
  validateTarget(source.target, path.child('target'), errors);
  if (source.target?.value === undefined && source.target?.averageValue === undefined)
    errors.push(required(path.child('target', 'averageValue'), 'must set either a target value or averageValue'));
}

function validateExternalSource(source: ExternalMetricSource, path: FieldPath, errors: FieldError[]): void {
  validateIdentifier(source.metric, path.child('metric'), errors);
  validateTarget(source.target, path.child('target'), errors);
  const { value, averageValue } = source.target ?? {};
  if (value === undefined && averageValue === undefined)
    errors.push(
      required(path.child('target', 'averageValue'), 'must set either a target value for metric or a per-pod target'),
    );
  if (value !== undefined && averageValue !== undefined)
    errors.push(
      forbidden(path.child('target', 'value'), 'may not set both a target value for metric and a per-pod target'),
    );
}

function validatePodsSource(source: PodsMetricSource, path: FieldPath, errors: FieldError[]): void {
  validateIdentifier(source.metric, path.child('metric'), errors);
  validateTarget(source.target, path.child('target'), errors);
  if (source.target?.averageValue === undefined)
    errors.push(required(path.child('target', 'averageValue'), 'must specify a positive target averageValue'));
}

function validateResourceSource(source: ResourceMetricSource, path: FieldPath, errors: FieldError[]): void {
  if (!source.name) errors.push(required(path.child('name'), 'must specify a resource name'));
  validateUtilization(source.target, path.child('target'), errors);
}

function validateContainerSource(source: ContainerResourceMetricSource, path: FieldPath, errors: FieldError[]): void {
  if (!source.name) errors.push(required(path.child('name'), 'must specify a resource name'));
  else validateContainerResourceName(source.name, path.child('name'), errors);
  if (!source.container) errors.push(required(path.child('container'), 'must specify a container'));
  else checkDnsLabel(source.container, path.child('container'), errors);
  validateUtilization(source.target, path.child('target'), errors);
}

function validateUtilization(target: MetricTarget | undefined, path: FieldPath, errors: FieldError[]): void {
  validateTarget(target, path, errors);
  const { averageUtilization, averageValue } = target ?? {};
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(
      required(path.child('averageUtilization'), 'must set either a target raw value or a target utilization'),
    );
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(forbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization'));
}

function validateTarget(target: Partial<MetricTarget> = {}, path: FieldPath, errors: FieldError[]): void {
  const { type = '', averageUtilization } = target;
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric target type'));
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.push(invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  for (const field of ['value', 'averageValue'] as const) {
    const amount = target[field];
    if (amount !== undefined && Quantity.parse(amount).compare(Quantity.of(0)) <= 0)
      errors.push(invalid(path.child(field), amount, 'must be positive'));
  }
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0'));
}

function validateIdentifier(metric: MetricIdentifier | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!metric?.name) errors.push(required(path.child('name'), 'must specify a metric name'));
  else checkText(metric.name, validatePathSegmentName, path.child('name'), errors);
}

export interface ReferenceRules {
  /** The apiVersion may be of the core group. */
  readonly coreGroup?: boolean;
  /** The apiVersion is not checked. */
  readonly anyVersion?: boolean;
}

export function validateReference(
  reference: Partial<CrossVersionObjectReference> | undefined,
  path: FieldPath,
  errors: FieldError[],
  { coreGroup, anyVersion }: ReferenceRules,
): void {
  for (const field of ['kind', 'name'] as const) {
    const text = reference?.[field];
    if (!text) errors.push(required(path.child(field)));
    else checkText(text, validatePathSegmentName, path.child(field), errors);
  }
  if (anyVersion) return;
  const apiVersion = reference?.apiVersion ?? '';
  const slashes = apiVersion.split('/').length - 1;
  if (slashes > 1)
    errors.push(invalid(path.child('apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else if (!coreGroup && (slashes === 0 || apiVersion.startsWith('/')))
    errors.push(invalid(path.child('apiVersion'), apiVersion, 'apiVersion must specify API group'));
}
