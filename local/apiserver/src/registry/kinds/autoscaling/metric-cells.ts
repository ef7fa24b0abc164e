import type { MetricSpec, MetricStatus, MetricTarget } from '@tektite/schema/kubernetes';

interface Current {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

const shown = 2;

/** Current values beside their targets, such as `cpu: 12%/80%`. */
export function formatMetrics(specs: readonly MetricSpec[], statuses: readonly MetricStatus[] = []): string {
  if (specs.length === 0) return '<none>';
  const list = specs.map((spec, i) => formatMetric(spec, statuses[i]));
  const text = list.slice(0, shown).join(', ');
  return list.length > shown ? `${text} + ${list.length - shown} more...` : text;
}

function formatMetric(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case 'External':
      return formatValue(spec.external?.target, status?.external?.current);
    case 'Object':
      return formatValue(spec.object?.target, status?.object?.current);
    case 'Pods':
      return `${status?.pods?.current?.averageValue ?? '<unknown>'}/${spec.pods?.target?.averageValue ?? '<nil>'}`;
    case 'Resource':
      return formatResource(spec.resource?.name, spec.resource?.target, status?.resource?.current);
    case 'ContainerResource': {
      const { name, target } = spec.containerResource ?? {};
      return formatResource(name, target, status?.containerResource?.current);
    }
    default:
      return '<unknown type>';
  }
}

function formatValue(target: Partial<MetricTarget> = {}, current: Current = {}): string {
  if (target.averageValue !== undefined) return `${current.averageValue ?? '<unknown>'}/${target.averageValue} (avg)`;
  return `${current.value ?? '<unknown>'}/${target.value ?? '<nil>'}`;
}

function formatResource(name = '', target: Partial<MetricTarget> = {}, current: Current = {}): string {
  if (target.averageValue !== undefined)
    return `${name}: ${current.averageValue ?? '<unknown>'}/${target.averageValue}`;
  const percent = (value: number | undefined, otherwise: string) => (value === undefined ? otherwise : `${value}%`);
  return `${name}: ${percent(current.averageUtilization, '<unknown>')}/${percent(target.averageUtilization, '<auto>')}`;
}
