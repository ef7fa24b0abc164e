import { hadEmptyMap } from '@tektite/go';
import { type ParamSpec, type PropertySpec, typeOfValue } from '../../kinds/param.ts';
import type { StepResult } from '../../kinds/task-spec.ts';

type Properties = Readonly<Record<string, PropertySpec>>;

/** The type that a parameter has by what else is said of it. */
export function defaultParam(spec: ParamSpec): ParamSpec {
  const { type, properties, default: value } = spec;
  if (type) return withProperties(spec, properties);
  if (properties || hadEmptyMap(spec)) return withProperties({ ...spec, type: 'object' }, properties);
  return { ...spec, type: value === undefined ? 'string' : typeOfValue(value) };
}

/** The same for results of Tasks and StepActions. */
export function defaultResult<T extends StepResult>(result: T): T {
  const type = result.type ?? (result.properties || hadEmptyMap(result) ? 'object' : 'string');
  return withProperties({ ...result, type }, result.properties);
}

/** Keys of objects hold texts. */
function withProperties<T extends { readonly properties?: Properties }>(
  spec: T,
  properties: Properties | undefined,
): T {
  if (!properties) return spec;
  const typed = Object.entries(properties).map(([key, { type }]) => [key, { type: type ?? 'string' }] as const);
  return { ...spec, properties: Object.fromEntries(typed) };
}
