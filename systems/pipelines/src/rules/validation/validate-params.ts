import {
  detailedError,
  type FieldErrors,
  genericError,
  invalidValue,
  missingField,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { type ParamSpec, typeOfValue } from '../../kinds/param.ts';
import type { Step } from '../../kinds/task-spec.ts';
import { allErrors } from './all-errors.ts';
import type { Rules } from '../rules.ts';
import { checkSteps, checkStepsNested, checkStepTexts } from './step-texts.ts';
import { duplicatesOf } from './validate-names.ts';
import {
  isolatedVariables,
  type KnownVariables,
  knownVariables,
  prohibitedVariables,
  prohibitedWholes,
} from './validate-variables.ts';

const types = ['string', 'array', 'object'];
const textOrArrayName = /^[_a-zA-Z][_a-zA-Z0-9.-]*$/;
const objectName = /^[_a-zA-Z][_a-zA-Z0-9-]*$/;

/** Types of parameters, and whether their defaults have them. */
export function validateParamTypes(specs: readonly ParamSpec[]): FieldErrors {
  return allErrors(specs.map(validateType));
}

function validateType({ name, type, default: value, properties = {} }: ParamSpec): FieldErrors | undefined {
  if (!type || !types.includes(type)) return invalidValue(type ?? '', `${name}.type`);
  if (value !== undefined && typeOfValue(value) !== type)
    return genericError(
      `"${type}" type does not match default value's type: "${typeOfValue(value)}"`,
      `${name}.type`,
      `${name}.default.type`,
    );
  const bad = wrongKeys(properties);
  if (bad.length === 0) return undefined;
  return genericError(`The value type specified for these keys [${bad.join(' ')}] is invalid`, `${name}.properties`);
}

/** Keys of an object that are to hold something else than a text. */
export function wrongKeys(properties: NonNullable<ParamSpec['properties']>): readonly string[] {
  return Object.keys(properties)
    .filter((key) => properties[key]?.type !== 'string')
    .sort();
}

/** Names that are used twice or are none, enums, and lists where texts are wanted. */
export function validateParamVariables(specs: readonly ParamSpec[], steps: readonly Step[], rules: Rules): FieldErrors {
  return validateParamNames(specs)
    .also(validateEnums(specs, rules).viaField('params'))
    .also(validateArrayUsage(specs, steps));
}

export function validateParamNames(specs: readonly ParamSpec[]): FieldErrors {
  return validateUniqueParams(specs).also(validateNameFormat(specs));
}

/** Each parameter is declared once. */
export function validateUniqueParams(specs: readonly ParamSpec[]): FieldErrors {
  const double = duplicatesOf(specs.map(({ name }) => name));
  return allErrors(
    double.map((name) => genericError('parameter appears more than once', '').viaFieldKey('params', name)),
  );
}

function validateNameFormat(specs: readonly ParamSpec[]): FieldErrors {
  const texts = new Set(specs.filter(({ type }) => type !== 'object').map(({ name }) => name));
  const bad = [...texts].filter((name) => !textOrArrayName.test(name)).sort();
  const badObjects = badObjectNames(specs.filter(({ type }) => type === 'object'));
  return noFieldErrors.also(
    bad.length === 0
      ? undefined
      : badNames(
          `The format of following array and string variable names is invalid: [${bad.join(' ')}]`,
          textNameDetails,
        ),
    badObjects.length === 0
      ? undefined
      : badNames(`Object param name and key name format is invalid: map[${badObjects.join(' ')}]`, objectNameDetails),
  );
}

/** As Go prints a map: by name, with the keys that are none. Of objects with the same name the keys come together. */
function badObjectNames(objects: readonly ParamSpec[]): readonly string[] {
  const found = new Map<string, readonly string[]>();
  for (const { name, properties = {} } of objects) {
    if (!objectName.test(name)) found.set(name, []);
    const keys = Object.keys(properties).filter((key) => !objectName.test(key));
    if (keys.length > 0) found.set(name, [...(found.get(name) ?? []), ...keys]);
  }
  return [...found.keys()].sort().map((name) => `${name}:[${found.get(name)?.join(' ') ?? ''}]`);
}

const badNames = (message: string, details: string) => detailedError({ message, paths: ['params'], details });
const textNameDetails =
  'String/Array Names: \nMust only contain alphanumeric characters, hyphens (-), underscores (_), and dots (.)\nMust begin with a letter or an underscore (_)';
const objectNameDetails =
  'Object Names: \nMust only contain alphanumeric characters, hyphens (-), underscores (_) \nMust begin with a letter or an underscore (_)';

export function validateEnums(specs: readonly ParamSpec[], rules: Rules): FieldErrors {
  return allErrors(specs.map((spec) => validateEnum(spec, rules).viaKey(spec.name)));
}

function validateEnum({ enum: values = [], type, default: value }: ParamSpec, { flags }: Rules): FieldErrors {
  if (values.length === 0) return noFieldErrors;
  return allErrors([
    flags.enableParamEnum
      ? undefined
      : genericError('feature flag `enable-param-enum` should be set to true to use Enum', ''),
    type === 'string' ? undefined : genericError('enum can only be set with string type param', ''),
    ...duplicatesOf(values).map((each) => genericError(`parameter enum value ${each} appears more than once`, '')),
    typeof value === 'string' && value !== '' && !values.includes(value)
      ? genericError(`param default value ${value} not in the enum list`, '')
      : undefined,
  ]);
}

/** The names of the parameters of a type, to be searched in texts. */
export function paramsOfType(specs: readonly ParamSpec[], type: 'array' | 'object'): KnownVariables {
  return { prefix: 'params', names: new Set(specs.filter((spec) => spec.type === type).map(({ name }) => name)) };
}

function validateArrayUsage(specs: readonly ParamSpec[], steps: readonly Step[]): FieldErrors {
  const arrays = paramsOfType(specs, 'array');
  const checks = { text: prohibitedVariables(arrays), item: isolatedVariables(arrays) };
  return checkStepsNested(steps, (step) => checkStepTexts(step, checks, mountPaths));
}

const mountPaths = { mountPath: 'mountPath', subPath: 'subPath' };

/** Whether all parameters that steps refer to are declared, and objects are used by their keys. */
export function validateParamUsage(specs: readonly ParamSpec[], steps: readonly Step[], rules: Rules): FieldErrors {
  const objects = specs.filter(({ type }) => type === 'object');
  const whole = prohibitedWholes(paramsOfType(specs, 'object'));
  return validateKnownVariables(steps, { prefix: 'params', names: new Set(specs.map(({ name }) => name)) }, rules)
    .also(allErrors(objects.map((spec) => validateKnownVariables(steps, keysOf(spec), rules))))
    .also(checkStepsNested(steps, (step) => checkStepTexts(step, { text: whole, item: whole }, mountPaths)))
    .also(objectsHaveProperties(specs));
}

/** The keys of an object, to be searched in texts. */
export function keysOf({ name, properties = {} }: ParamSpec): KnownVariables {
  return { prefix: `params.${name}`, names: new Set(Object.keys(properties)) };
}

export function objectsHaveProperties(specs: readonly ParamSpec[]): FieldErrors {
  const bare = specs.filter(({ type, properties }) => type === 'object' && properties === undefined);
  return allErrors(bare.map(({ name }) => missingField(`${name}.properties`)));
}

/** Whether the variables with a prefix that steps refer to are known. */
export function validateKnownVariables(steps: readonly Step[], known: KnownVariables, rules: Rules): FieldErrors {
  const text = knownVariables(known);
  const script = rules.version === 'v1' ? text : knownVariables(known, true);
  const paths = { mountPath: 'MountPath', subPath: 'SubPath' };
  return checkSteps(steps, (step) =>
    checkStepTexts(step, { text, item: text, script }, paths).also(text(step.onError ?? '')?.viaField('onError')),
  );
}
