import { equalJson, utf8Length } from '@tektite/meta';
import { canonicalJson } from '../canonical-json.ts';
import { isKnownFormat, stringFormat } from '../format/string-format.ts';
import type { JsonSchema } from '../structural-schema.ts';
import { type JsonType, isInt64, jsonType, nativeFormat } from './json-type.ts';
import { correlateList } from './list-correlation.ts';
import { numberCheck } from './number-check.ts';
import { compilePattern } from './pattern.ts';
import type { Violations } from './violations.ts';

/** No old value is known for this place: everything is checked as if it were new. */
export const uncorrelated: unique symbol = Symbol('uncorrelated');

type JsonMap = Readonly<Record<string, unknown>>;

/**
 * The checks of one schema, prepared once. Children are prepared when a value first reaches them, because a schema may
 * contain itself.
 *
 * `validate` returns how many checks a value passed or met. The number decides only one thing: of the alternatives in
 * `anyOf` and `oneOf` that all fail, the one that got furthest explains the failure. It is counted as upstream counts.
 */
export class SchemaValidator {
  private readonly schema: JsonSchema;
  private readonly family: ValidatorFamily;
  private readonly types: readonly string[];
  private readonly format: string;
  private readonly checkFormat: ((text: string) => boolean) | undefined;
  private readonly checkNumber: ReturnType<typeof numberCheck>;
  private readonly hasAlternatives: boolean;

  constructor(schema: JsonSchema, family: ValidatorFamily) {
    this.schema = schema;
    this.family = family;
    this.types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
    const type = this.types.length === 1 ? this.types[0] : undefined;
    this.format = schema.format && isKnownFormat(type, schema.format) ? schema.format : '';
    this.checkFormat = this.format === '' ? undefined : stringFormat(this.format);
    this.checkNumber = numberCheck(schema, this.types);
    this.hasAlternatives = Boolean(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? schema.not);
  }

  /** Checks a value. Whatever is wrong with a part that equals its old value is forgiven. */
  validate(value: unknown, old: unknown, path: string, violations: Violations): number {
    // An identical value is not validated: its errors would be ratcheted. Alternatives, for which the number of errors
    // counts, have no old value.
    if (value === old) return 0;
    const before = violations.count;
    const matches = this.check(value, old, path, violations);
    if (violations.count > before && old !== uncorrelated && equalJson(value, old)) violations.truncate(before);
    return matches;
  }

  private check(value: unknown, old: unknown, path: string, violations: Violations): number {
    const type = jsonType(value);
    if (type === 'null') {
      const matches = this.checkNull(path, violations);
      this.checkEnum(value, path, violations);
      return matches;
    }
    // Two for the alternatives, one for the enum, one for the value itself.
    let matches = 4;
    if (this.types.length > 0 || this.format !== '') matches += this.checkType(type, path, violations) ? 2 : 1;
    if (this.hasAlternatives) matches += this.checkAlternatives(value, path, violations);
    if (type === 'string') matches += this.checkString(value as string, path, violations);
    else if (type === 'integer' || type === 'number') {
      this.checkNumber(value as number | bigint, path, violations);
      matches += 2;
    } else if (type === 'array') matches += 2 + this.checkArray(value as readonly unknown[], old, path, violations);
    this.checkEnum(value, path, violations);
    if (type === 'object') matches += 1 + this.checkObject(value as JsonMap, old, path, violations);
    return matches;
  }

  private checkNull(path: string, violations: Violations): number {
    if (this.types.length === 0 || this.schema.nullable || this.types.includes('null')) return 1;
    violations.wrongType(path, this.types.join(','), 'null');
    return 0;
  }

  private checkType(type: JsonType, path: string, violations: Violations): boolean {
    const { types, format } = this;
    const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
    const isTextual = type === 'string' || type === 'array';
    if (!isTextual && format !== '' && !fits && nativeFormat(type) !== format) {
      violations.wrongType(path, format, nativeFormat(type));
      return false;
    }
    // With a format of strings, upstream lets strings and lists of any type pass here.
    if (isTextual && format !== '' && !types.includes('number') && !types.includes('integer')) return true;
    if (!fits) violations.wrongType(path, types.join(','), type);
    return fits;
  }

  /** Only the first error of a string is reported. */
  private checkString(value: string, path: string, violations: Violations): number {
    const { maxLength, minLength, pattern } = this.schema;
    if (maxLength !== undefined && characterCount(value) > maxLength) violations.tooLong(path, maxLength);
    else if (minLength !== undefined && characterCount(value) < minLength)
      violations.broken(path, value, `should be at least ${minLength} chars long`);
    else if (pattern) checkPattern(value, pattern, path, violations);
    if (!this.checkFormat) return 1;
    if (!this.checkFormat(value)) violations.wrongType(path, this.format, value);
    return 2;
  }

  private checkEnum(value: unknown, path: string, violations: Violations): void {
    const allowed = this.schema.enum;
    if (!allowed || allowed.length === 0) return;
    if (!allowed.some((item) => equalsEnum(value, item))) violations.notInEnum(path, value, allowed);
  }

  private checkArray(value: readonly unknown[], old: unknown, path: string, violations: Violations): number {
    const { items, minItems, maxItems, uniqueItems } = this.schema;
    let matches = 0;
    if (items) {
      const validator = this.family.of(items);
      const correlate = Array.isArray(old) ? correlateList(this.schema, old) : undefined;
      for (let i = 0; i < value.length; i++) {
        const previous = correlate?.(value[i]);
        matches += validator.validate(value[i], previous ?? uncorrelated, `${path}[${i}]`, violations);
      }
    }
    if (minItems !== undefined && value.length < minItems)
      violations.broken(path, value.length, `should have at least ${minItems} items`);
    if (maxItems !== undefined && value.length > maxItems) violations.tooManyItems(path, value.length, maxItems);
    if (uniqueItems && hasDuplicates(value)) violations.broken(path, '', "shouldn't contain duplicates");
    return matches;
  }

  private checkObject(value: JsonMap, old: unknown, path: string, violations: Violations): number {
    const { minProperties, maxProperties, required } = this.schema;
    const keys = Object.keys(value);
    if (minProperties !== undefined && keys.length < minProperties)
      violations.broken(path, keys.length, `should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && keys.length > maxProperties)
      violations.tooManyProperties(path, keys.length, maxProperties);
    const oldFields = typeof old === 'object' && old !== null && !Array.isArray(old) ? (old as JsonMap) : undefined;
    let matches = 0;
    for (const key of keys) matches += this.checkField(key, value[key], oldFields, path, violations);
    if (required)
      for (const name of required)
        if (!Object.hasOwn(value, name) || value[name] === undefined) violations.missing(`${path}.${name}`);
    return matches;
  }

  private checkField(
    key: string,
    value: unknown,
    old: JsonMap | undefined,
    path: string,
    violations: Violations,
  ): number {
    if (value === undefined) return 0;
    const { properties, additionalProperties } = this.schema;
    const isProperty = properties !== undefined && Object.hasOwn(properties, key);
    const schema = isProperty ? properties[key] : additionalProperties;
    if (schema === false) {
      violations.forbiddenProperty(path, key);
      return 0;
    }
    if (typeof schema !== 'object') return 0;
    // The server converts both objects to one version first, so a change of apiVersion or kind would go unseen.
    const isType = path === '' && (key === 'apiVersion' || key === 'kind');
    const previous = old && !isType && Object.hasOwn(old, key) ? old[key] : uncorrelated;
    const childPath = isProperty && path === '' ? key : `${path}.${key}`;
    return this.family.of(schema).validate(value, previous, childPath, violations);
  }

  /** `anyOf`, `oneOf`, `allOf` and `not`. Inside of them nothing is forgiven for being unchanged. */
  private checkAlternatives(value: unknown, path: string, violations: Violations): number {
    const { anyOf, oneOf, allOf, not } = this.schema;
    let matches = 0;
    if (anyOf && anyOf.length > 0) matches += this.checkAnyOf(anyOf, value, path, violations);
    if (oneOf && oneOf.length > 0) matches += this.checkOneOf(oneOf, value, path, violations);
    if (allOf && allOf.length > 0) matches += this.checkAllOf(allOf, value, path, violations);
    if (not && this.attempt(not, value, path, violations).found.count === 0)
      violations.general(`"${path}" must not validate the schema (not)`);
    return matches;
  }

  private attempt(schema: JsonSchema, value: unknown, path: string, violations: Violations): Attempt {
    const found = violations.fork();
    return { matches: this.family.of(schema).validate(value, uncorrelated, path, found), found };
  }

  private checkAnyOf(schemas: readonly JsonSchema[], value: unknown, path: string, violations: Violations): number {
    let best: Attempt | undefined;
    for (const schema of schemas) {
      const attempt = this.attempt(schema, value, path, violations);
      if (attempt.found.count === 0) return attempt.matches;
      if (!best || attempt.matches > best.matches) best = attempt;
    }
    violations.general(`"${path}" must validate at least one schema (anyOf)`);
    if (best) violations.merge(best.found);
    return best?.matches ?? 0;
  }

  private checkOneOf(schemas: readonly JsonSchema[], value: unknown, path: string, violations: Violations): number {
    let best: Attempt | undefined;
    let first: Attempt | undefined;
    let valid = 0;
    for (const schema of schemas) {
      const attempt = this.attempt(schema, value, path, violations);
      if (attempt.found.count === 0) {
        valid++;
        first ??= attempt;
        best = undefined;
      } else if (valid === 0 && (!best || attempt.matches > best.matches)) best = attempt;
    }
    if (valid === 1) return first?.matches ?? 0;
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    violations.general(`"${path}" must validate one and only one schema (oneOf). ${found}`);
    if (best) violations.merge(best.found);
    return best?.matches ?? 0;
  }

  private checkAllOf(schemas: readonly JsonSchema[], value: unknown, path: string, violations: Violations): number {
    let valid = 0;
    let matches = 0;
    for (const schema of schemas) {
      const attempt = this.attempt(schema, value, path, violations);
      if (attempt.found.count === 0) valid++;
      violations.merge(attempt.found);
      matches += attempt.matches;
    }
    if (valid < schemas.length)
      violations.general(`"${path}" must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
    return matches;
  }
}

interface Attempt {
  readonly matches: number;
  readonly found: Violations;
}

/** The validators of a schema and of all schemas within it, one for each. */
export class ValidatorFamily {
  private readonly validators = new Map<JsonSchema, SchemaValidator>();

  of(schema: JsonSchema): SchemaValidator {
    let validator = this.validators.get(schema);
    if (!validator) {
      validator = new SchemaValidator(schema, this);
      this.validators.set(schema, validator);
    }
    return validator;
  }
}

/** Length in code points; most strings are plain and need no counting. */
function characterCount(text: string): number {
  const bytes = utf8Length(text);
  if (bytes === text.length) return bytes;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function checkPattern(value: string, pattern: string, path: string, violations: Violations): void {
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string')
    violations.broken(path, value, `should match '${pattern}, but pattern is invalid: ${compiled}'`);
  else if (!compiled.matcher(value).find()) violations.broken(path, value, `should match '${pattern}'`);
}

/**
 * Equal after conversion to the type of the enum's item, as Go converts: a fraction is cut off to fit an integer, an
 * integer becomes the character of that number. Null equals nothing.
 */
function equalsEnum(value: unknown, item: unknown): boolean {
  if (value === null || value === undefined || item === null) return false;
  if (typeof value === 'number' && typeof item === 'number')
    return value === item || (isInt64(item) && Math.trunc(value) === item);
  if (typeof value === 'bigint' && typeof item === 'number') return value === BigInt(Math.trunc(item));
  if (typeof value === 'number' && typeof item === 'string')
    return isInt64(value) && value >= 0 && value <= 0x10ffff && String.fromCodePoint(value) === item;
  return equalJson(value, item);
}

function hasDuplicates(list: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  for (const item of list) {
    const key = typeof item === 'object' && item !== null ? canonicalJson(item) : item;
    if (seen.has(key)) return true;
    seen.add(key);
  }
  return false;
}
