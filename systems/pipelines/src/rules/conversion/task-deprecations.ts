import { decodeStruct } from '@tektite/go';
import { Step, StepTemplate } from '../../kinds/task-spec.ts';
import type { Annotations } from './annotations.ts';
import type { Json } from './json.ts';

const key = 'tekton.dev/v1beta1.task-deprecations';

/** Fields of steps that only v1beta1 has. They do nothing, but they are not lost. */
const fields = [
  'ports',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'stdin',
  'stdinOnce',
  'tty',
];
const templateFields = ['name', ...fields];
/** Upstream forgets one of them when it checks whether there are any. */
const noticedTemplateFields = templateFields.filter((field) => field !== 'livenessProbe');

interface Deprecation {
  readonly deprecatedSteps?: readonly Json[];
  readonly deprecatedStepTemplate?: Json;
}

/** Keeps what v1 has no field for, under the name of the Task. */
export function keepDeprecations(spec: Json, annotations: Annotations, name: string): void {
  const known = annotations.read(key, 'serializing') as Readonly<Record<string, Deprecation>> | undefined;
  const steps = (spec.steps ?? []) as readonly Json[];
  const template = spec.stepTemplate as Json | undefined;
  const isUsed = steps.some((step) => hasAny(step, fields)) || (template && hasAny(template, noticedTemplateFields));
  if (!isUsed) return;
  const deprecation = {
    ...(steps.length > 0 ? { deprecatedSteps: steps.map((step) => pick(Step, step, fields)) } : {}),
    ...(template ? { deprecatedStepTemplate: pick(StepTemplate, template, templateFields) } : {}),
  };
  annotations.put(key, { ...known, [name]: deprecation });
}

/** The spec with what was kept for it. */
export function restoreDeprecations(spec: Json, annotations: Annotations, name: string): Json {
  const known = annotations.read(key) as Readonly<Record<string, Deprecation>> | undefined;
  if (!known || !Object.hasOwn(known, name)) return spec;
  const { [name]: deprecation = {}, ...others } = known;
  const { deprecatedSteps = [], deprecatedStepTemplate: template } = deprecation;
  const steps = (spec.steps ?? []) as readonly Json[];
  if (steps.length !== deprecatedSteps.length)
    throw new Error('length of deserialized steps mismatch the length of target steps');
  annotations.take(key);
  if (Object.keys(others).length > 0) annotations.put(key, others);
  return {
    ...spec,
    steps: steps.map((step, index) => ({ ...step, ...only(deprecatedSteps[index] ?? {}, fields) })),
    ...(template ? { stepTemplate: { ...(spec.stepTemplate as Json), ...only(template, templateFields) } } : {}),
  };
}

const hasAny = (value: Json, names: readonly string[]) => names.some((name) => value[name] !== undefined);

function only(value: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]));
}

/** Printed as Go prints the struct: fields that are never left out are there too. */
function pick(struct: typeof Step | typeof StepTemplate, value: Json, names: readonly string[]): Json {
  return decodeStruct(struct.definitionIn('v1beta1'), only(value, names), { strict: false });
}
