import { type FieldError, type FieldPath, forbidden, invalid, notSupported, required } from '@tektite/meta';
import { compileRules } from '../cel/rule.ts';
import { declareSchema, type SchemaDeclaration } from '../cel/schema-declaration.ts';
import { escapePropertyName } from '../cel/property-name.ts';
import type { JsonSchema } from '../structural-schema.ts';
import { append } from './append.ts';
import { checkListType } from './list-type-check.ts';
import { itemSchema, itemSchemas, type RawSchema, schemaHas, valueSchema } from './raw-schema.ts';
import { checkCompiledRule, checkRuleText, CostAccount } from './rule-check.ts';

const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Errors to ignore, because an older version of the same definition had them too. */
export interface SchemaCheckOptions {
  readonly requireValidType: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireListMapKeys: boolean;
  /** Rules that were accepted before are not refused for their cost. */
  readonly suppressRuleCost: boolean;
}

/** Where in a definition a schema stands. */
interface Place {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** Why defaults are not allowed here, if they are not. */
  readonly noDefaults?: string;
  readonly insideMetadata: boolean;
  readonly uncorrelatable?: FieldPath;
  /** For the rules; absent where none are compiled. */
  readonly rules?: RulePlace;
}

interface RulePlace {
  readonly account: CostAccount;
  readonly cardinality: number | undefined;
  readonly declaration: SchemaDeclaration | undefined;
  readonly isResourceRoot: boolean;
}

interface Found {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

/**
 * Validates the keywords and the rules of a schema. Rules are validated only with `compileRules`: those of a schema
 * that is not structural cannot be compiled.
 */
export function checkSchema(
  schema: RawSchema,
  path: FieldPath,
  options: SchemaCheckOptions,
  compile: boolean,
): FieldError[] {
  const account = new CostAccount();
  const hasRules = compile && schemaHas(schema, (each) => (each['x-kubernetes-validations']?.length ?? 0) > 0);
  const declaration = hasRules ? declareSchema(schema as JsonSchema, true) : undefined;
  const rules = hasRules ? { account, cardinality: 1, declaration, isResourceRoot: true } : undefined;
  const place: Place = { path, isRoot: true, insideMetadata: false, ...(rules ? { rules } : {}) };
  const found: Found = { schema: [], rules: [] };
  new SchemaChecker(options).check(schema, place, found);
  return [...found.schema, ...found.rules, ...account.errors(path)];
}

class SchemaChecker {
  private readonly options: SchemaCheckOptions;

  constructor(options: SchemaCheckOptions) {
    this.options = options;
  }

  check(schema: RawSchema, place: Place, found: Found): void {
    const before = found.schema.length;
    this.checkKeywords(schema, place, found.schema);
    eachChild(schema, place, (child, childPlace) => this.check(child, childPlace, found));
    const { path } = place;
    if (schema['x-kubernetes-preserve-unknown-fields'] === false)
      found.schema.push(
        invalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'),
      );
    append(found.schema, checkMapType(schema, path));
    append(found.schema, checkListType(schema, path, this.options));
    const rules = schema['x-kubernetes-validations'];
    if (!rules || rules.length === 0) return;
    for (const [index, rule] of rules.entries())
      append(found.schema, checkRuleText(rule, schema, path.child('x-kubernetes-validations').index(index)));
    if (found.schema.length === before && place.rules) append(found.rules, this.checkRules(schema, place, place.rules));
  }

  private checkKeywords(schema: RawSchema, place: Place, errors: FieldError[]): void {
    const { path, noDefaults, insideMetadata } = place;
    if (this.options.requireValidType && schema.type && !types.includes(schema.type))
      errors.push(notSupported(path.child('type'), schema.type, types));
    if (schema.default !== undefined && schema.default !== null && noDefaults !== undefined)
      errors.push(forbidden(path.child('default'), `must not be set ${noDefaults}`));
    for (const keyword of unsupported)
      if (isSet(schema[keyword])) errors.push(forbidden(path.child(keyword), `${keyword} is not supported`));
    if (schema.type === 'null')
      errors.push(forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative'));
    if (itemSchemas(schema).length > 0)
      errors.push(forbidden(path.child('items'), 'items must be a schema object and not an array'));
    if (insideMetadata && schema['x-kubernetes-embedded-resource'])
      errors.push(forbidden(path.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'));
    if (schema.uniqueItems)
      errors.push(
        forbidden(
          path.child('uniqueItems'),
          'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
        ),
      );
    const { additionalProperties, properties } = schema;
    if (additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties ?? {}).length > 0)
      errors.push(
        forbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive'),
      );
  }

  private checkRules(schema: RawSchema, place: Place, rules: RulePlace): FieldError[] {
    const declaration = rules.declaration ?? declareSchema(schema as JsonSchema, rules.isResourceRoot);
    if (!declaration) return [];
    const context = {
      account: rules.account,
      cardinality: rules.cardinality,
      uncorrelatable: place.uncorrelatable,
      suppressCost: this.options.suppressRuleCost,
    };
    return compileRules(schema as JsonSchema, declaration).flatMap((compiled, index) =>
      checkCompiledRule(compiled, place.path.child('x-kubernetes-validations').index(index), context),
    );
  }
}

/** Empty maps, lists and texts count as absent; so does an empty `$ref`, but not an empty `dependencies`. */
function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function checkMapType(schema: RawSchema, path: FieldPath): readonly FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return noErrors;
  const errors: FieldError[] = [];
  const detail = 'must be object if x-kubernetes-map-type is specified';
  if (!schema.type) errors.push(required(path.child('type'), detail));
  else if (schema.type !== 'object') errors.push(invalid(path.child('type'), schema.type, detail));
  if (mapType !== 'atomic' && mapType !== 'granular')
    errors.push(notSupported(path.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  return errors;
}

const noErrors: readonly FieldError[] = [];
const metaFields = new Set(['metadata', 'kind', 'apiVersion']);

type Visit = (schema: RawSchema, place: Place) => void;

/** The schemas below a schema, in the order in which they are checked. */
function eachChild(schema: RawSchema, place: Place, visit: Visit): void {
  const { path } = place;
  const values = valueSchema(schema);
  if (values) {
    const noDefaults = place.insideMetadata
      ? { noDefaults: 'inside additionalProperties applying to object metadata' }
      : {};
    const at = path.child('additionalProperties');
    visit(values, { ...place, isRoot: false, ...noDefaults, path: at, ...ruleChild(schema, place, values, 'element') });
  }
  const { properties } = schema;
  if (properties)
    for (const name of Object.keys(properties)) {
      const property = properties[name] as RawSchema;
      visit(property, propertyPlace(schema, place, name, property));
    }
  if (schema.not || schema.allOf || schema.oneOf || schema.anyOf || schema.definitions)
    eachNested(schema, place, visit);
  eachItem(schema, place, visit);
  const { dependencies } = schema;
  if (dependencies)
    for (const [name, each] of Object.entries(dependencies))
      if (!Array.isArray(each)) visit(each as RawSchema, nestedPlace(place, path.child('dependencies').key(name)));
}

function eachNested(schema: RawSchema, place: Place, visit: Visit): void {
  const { path } = place;
  if (schema.not) visit(schema.not, nestedPlace(place, path.child('not')));
  for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [index, each] of (schema[keyword] ?? []).entries())
      visit(each, nestedPlace(place, path.child(keyword).index(index)));
  for (const [name, each] of Object.entries(schema.definitions ?? {}))
    visit(each, nestedPlace(place, path.child('definitions').key(name)));
}

/** Where no rules are compiled. */
function nestedPlace(place: Place, path: FieldPath): Place {
  return { ...omitRules(place), isRoot: false, path };
}

function omitRules(place: Place): Place {
  if (!place.rules) return place;
  const copy: { -readonly [K in keyof Place]: Place[K] } = { ...place };
  delete copy.rules;
  return copy;
}

function propertyPlace(schema: RawSchema, place: Place, name: string, property: RawSchema): Place {
  const mapType = schema['x-kubernetes-map-type'];
  const isCorrelatable = mapType === undefined || mapType === 'granular' || mapType === 'atomic';
  const uncorrelatable = place.uncorrelatable ?? (isCorrelatable ? undefined : place.path);
  const isMeta = (place.isRoot || schema['x-kubernetes-embedded-resource'] === true) && metaFields.has(name);
  return {
    ...omitRules(place),
    isRoot: false,
    path: place.path.child('properties').key(name),
    insideMetadata: place.insideMetadata || isMeta,
    ...(isMeta && place.isRoot ? { noDefaults: `in top-level ${name}` } : {}),
    ...(uncorrelatable ? { uncorrelatable } : {}),
    ...ruleChild(schema, place, property, name),
  };
}

/** Only the elements of list-maps can be matched between an old and a new object. */
function eachItem(schema: RawSchema, place: Place, visit: Visit): void {
  if (!schema.items) return;
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  const uncorrelatable = place.uncorrelatable ?? (isMap ? undefined : place.path);
  const base: Place = { ...omitRules(place), isRoot: false, ...(uncorrelatable ? { uncorrelatable } : {}) };
  const path = place.path.child('items');
  const items = itemSchema(schema);
  if (items) visit(items, { ...base, path, ...ruleChild(schema, place, items, 'element') });
  for (const [index, each] of itemSchemas(schema).entries()) visit(each, { ...base, path: path.index(index) });
}

/** The declaration of a child, and its maximal number, for its rules. */
function ruleChild(schema: RawSchema, { rules }: Place, child: RawSchema, name: string): { rules?: RulePlace } {
  if (!rules) return {};
  const escaped = escapePropertyName(name);
  const isProperty = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
  const declaration = isProperty
    ? rules.declaration?.fields?.get(escaped ?? '')?.declaration
    : rules.declaration?.element;
  const factor = maxElements(schema);
  const cardinality = rules.cardinality === undefined || factor === undefined ? undefined : rules.cardinality * factor;
  return {
    rules: {
      account: rules.account,
      cardinality,
      declaration,
      isResourceRoot: child['x-kubernetes-embedded-resource'] === true,
    },
  };
}

/** The maximal number of children of a value of the schema; `undefined` without a limit. */
function maxElements(schema: RawSchema): number | undefined {
  if (schema.type === 'object' && schema.additionalProperties !== undefined)
    return schema.maxProperties === undefined ? undefined : Math.max(0, schema.maxProperties);
  if (schema.type === 'array') return schema.maxItems === undefined ? undefined : Math.max(0, schema.maxItems);
  return 1;
}
