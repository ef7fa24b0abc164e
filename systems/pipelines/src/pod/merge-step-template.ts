import type { EnvVar } from '@tektite/schema/kubernetes';
import type { Step, StepTemplate } from '../kinds/task-spec.ts';

/**
 * A step with what its template says besides. It is a strategic merge: lists with keys are merged by them, other lists are
 * replaced, objects are merged to the bottom. `displayName` gets lost, as it does upstream.
 */
export function mergeStepTemplate(template: StepTemplate | undefined, step: Step): Step {
  if (!template) return step;
  const { displayName: _, ...rest } = step;
  const merged: Step = {
    ...template,
    ...rest,
    ...optional('env', mergeEnv(template.env, step.env)),
    ...optional('volumeMounts', mergeByKey(template.volumeMounts, step.volumeMounts, 'mountPath')),
    ...optional('volumeDevices', mergeByKey(template.volumeDevices, step.volumeDevices, 'devicePath')),
    ...optional('computeResources', mergeDeep(template.computeResources, step.computeResources)),
    ...optional('securityContext', mergeDeep(template.securityContext, step.securityContext)),
  };
  return merged;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

/** A variable has a value or a source; one that got both has what the step says. */
function mergeEnv(
  template: readonly EnvVar[] | undefined,
  step: readonly EnvVar[] | undefined,
): readonly EnvVar[] | undefined {
  const own = new Map(step?.map((entry) => [entry.name, entry]));
  return mergeByKey(template, step, 'name')?.map((entry) =>
    entry.value !== undefined && entry.valueFrom ? (own.get(entry.name) ?? entry) : entry,
  );
}

/**
 * Merges lists by a key. What both have, and what the step alone has, is in the order of the step; what the template alone
 * has comes before that which it precedes in the template, or at the end. Variables refer to earlier ones, so that counts.
 */
function mergeByKey<T extends object>(
  template: readonly T[] | undefined,
  step: readonly T[] | undefined,
  key: keyof T,
): readonly T[] | undefined {
  if (!template || !step) return step ?? template;
  const order = new Map(template.map((item, index) => [item[key], index]));
  const own = new Set(step.map((item) => item[key]));
  const base = new Map(template.map((item) => [item[key], item]));
  const rest = template.filter((item) => !own.has(item[key]));
  const result: T[] = [];
  for (const item of step) {
    const place = order.get(item[key]);
    while (place !== undefined && rest[0] && (order.get(rest[0][key]) ?? 0) < place) result.push(rest.shift() as T);
    result.push(mergeDeep(base.get(item[key]), item) as T);
  }
  return [...result, ...rest];
}

/** Objects to the bottom, everything else from the step. */
function mergeDeep<T>(template: T | undefined, step: T | undefined): T | undefined {
  if (template === undefined || step === undefined) return step ?? template;
  if (!isRecord(template) || !isRecord(step)) return step;
  const result: Record<string, unknown> = { ...template };
  for (const [key, value] of Object.entries(step)) result[key] = mergeDeep(result[key], value);
  return result as T;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
