import { equalJson, type FieldError, FieldPath, invalid } from '@tektite/meta';
import { schemaSearch } from '../schema-search.ts';
import { type JsonSchema, propertySchema } from '../structural-schema.ts';
import { correlateList } from '../validate/list-correlation.ts';
import { EvaluationError } from './language/evaluation.ts';
import { escapePropertyName } from './property-name.ts';
import { type CompiledRule, compileRules } from './rule.ts';
import { evaluateMessage, perCallLimit, ruleError, ruleWords } from './rule-message.ts';
import { RuleVariables } from './rule-variables.ts';
import { declareSchema, type SchemaDeclaration } from './schema-declaration.ts';

/** The most all rules of an object may cost together. */
export const costBudget = 10_000_000;

type JsonMap = Readonly<Record<string, unknown>>;

export interface RuleOptions {
  /** Where the value stands; none for a whole object. */
  readonly path?: FieldPath;
  /** Whether rules are forgiven that fail on what has not changed. */
  readonly ratcheting?: boolean;
  readonly budget?: number;
  /** Collects the texts of errors that were forgiven. */
  readonly forgiven?: (error: FieldError) => void;
}

/** The rules of a schema and of all schemas below it, compiled. */
export interface RuleValidator {
  /** The errors of a value; `old` is what it replaces, `undefined` when it is new. `budget` is what is left, negative when it ran out. */
  validate(value: unknown, old: unknown, options?: RuleOptions): { errors: FieldError[]; budget: number };
}

const hasRules = schemaSearch((schema) => (schema['x-kubernetes-validations']?.length ?? 0) > 0);

/** Compiles all rules; `undefined` when there are none. */
export function compileRuleValidator(schema: JsonSchema, isResourceRoot: boolean): RuleValidator | undefined {
  if (!hasRules(schema)) return undefined;
  const node = new RuleNode(schema, declareSchema(schema, isResourceRoot));
  return {
    validate(value, old, options = {}) {
      const run = new RuleRun(options.budget ?? costBudget, options.forgiven);
      const pair = options.ratcheting ? { value, old } : undefined;
      node.validate(value, old, options.path, { own: pair, parent: undefined }, run);
      return { errors: run.errors, budget: run.budget };
    },
  };
}

/** A value and what it replaces. */
interface Pair {
  readonly value: unknown;
  readonly old: unknown;
}

/** The old value to compare with, or else the nearest ancestor that has one. */
interface Correlation {
  readonly own: Pair | undefined;
  readonly parent: Pair | undefined;
}

const isUnchanged = ({ own, parent }: Correlation): boolean => {
  const pair = own ?? parent;
  return pair !== undefined && equalJson(pair.value, pair.old);
};

/** The state of one validation: errors so far and the budget left. */
class RuleRun {
  readonly errors: FieldError[] = [];
  budget: number;
  private readonly forgiven: ((error: FieldError) => void) | undefined;

  constructor(budget: number, forgiven: ((error: FieldError) => void) | undefined) {
    this.budget = budget;
    this.forgiven = forgiven;
  }

  get isOver(): boolean {
    return this.budget < 0;
  }

  stop(error: FieldError): void {
    this.errors.push(error);
    this.budget = -1;
  }

  add(error: FieldError, forgive: boolean): void {
    if (forgive) this.forgiven?.(error);
    else this.errors.push(error);
  }
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

class RuleNode {
  private readonly schema: JsonSchema;
  private readonly declaration: SchemaDeclaration | undefined;
  private readonly rules: readonly CompiledRule[];
  private readonly children = new Map<string, RuleNode | undefined>();
  private items: RuleNode | undefined;
  private rest: RuleNode | undefined;
  private prepared = false;

  constructor(schema: JsonSchema, declaration: SchemaDeclaration | undefined) {
    this.schema = schema;
    this.declaration = declaration;
    this.rules = declaration ? compileRules(schema, declaration) : [];
  }

  private prepare(): void {
    if (this.prepared) return;
    this.prepared = true;
    const { items, additionalProperties } = this.schema;
    if (items && hasRules(items)) this.items = new RuleNode(items, this.declaration?.element);
    if (typeof additionalProperties === 'object' && hasRules(additionalProperties))
      this.rest = new RuleNode(additionalProperties, this.declaration?.element);
  }

  private property(name: string): RuleNode | undefined {
    if (this.children.has(name)) return this.children.get(name);
    const schema = propertySchema(this.schema, name);
    const escaped = escapePropertyName(name);
    const declared =
      escaped === undefined && schema
        ? declareSchema(schema, schema['x-kubernetes-embedded-resource'] === true)
        : this.declaration?.fields?.get(escaped ?? '')?.declaration;
    const node = schema && declared && hasRules(schema) ? new RuleNode(schema, declared) : undefined;
    this.children.set(name, node);
    return node;
  }

  validate(value: unknown, old: unknown, path: FieldPath | undefined, correlation: Correlation, run: RuleRun): void {
    if (run.isOver || value === null || value === undefined) return;
    this.checkRules(value, old ?? undefined, path, correlation, run);
    if (run.isOver || typeof value !== 'object') return;
    this.prepare();
    if (Array.isArray(value)) this.visitList(value, old, path, correlation, run);
    else this.visitMap(value as JsonMap, old, path, correlation, run);
  }

  private visitList(
    list: readonly unknown[],
    old: unknown,
    path: FieldPath | undefined,
    correlation: Correlation,
    run: RuleRun,
  ): void {
    if (!this.items) return;
    const find = Array.isArray(old) ? correlateList(this.schema, old) : undefined;
    const { own } = correlation;
    for (const [index, item] of list.entries()) {
      const previous = find?.(item);
      const child = own
        ? { own: previous === undefined ? undefined : { value: item, old: previous }, parent: own }
        : correlation;
      this.items.validate(item, previous, (path ?? FieldPath.root).index(index), child, run);
      if (run.isOver) return;
    }
  }

  private visitMap(
    fields: JsonMap,
    old: unknown,
    path: FieldPath | undefined,
    correlation: Correlation,
    run: RuleRun,
  ): void {
    const before = typeof old === 'object' && old !== null && !Array.isArray(old) ? (old as JsonMap) : {};
    const base = path ?? FieldPath.root;
    for (const [key, value] of Object.entries(fields)) {
      const property = this.property(key);
      const node = property ?? (propertySchema(this.schema, key) ? undefined : this.rest);
      if (!node) continue;
      const previous = Object.hasOwn(before, key) ? before[key] : undefined;
      const child = correlateField(correlation, key, value, previous);
      node.validate(value, previous, property ? base.child(key) : base.key(key), child, run);
      if (run.isOver) return;
    }
  }

  private checkRules(
    value: unknown,
    old: unknown,
    path: FieldPath | undefined,
    correlation: Correlation,
    run: RuleRun,
  ): void {
    const { declaration, schema } = this;
    if (!declaration || this.rules.length === 0) return;
    const at = path ?? '<nil>';
    const type = schema.type ?? '';
    if (run.budget <= 0) return run.stop(invalid(at, type, outOfBudget));
    const variables = new RuleVariables(value, old, declaration);
    for (const rule of this.rules) {
      if (rule.error !== undefined) run.errors.push(invalid(at, type, `rule compile error: ${rule.error}`));
      else if (rule.program) this.checkRule(rule, variables, at, correlation, run);
      if (run.isOver) return;
    }
  }

  private checkRule(
    compiled: CompiledRule,
    variables: RuleVariables,
    at: FieldPath | string,
    correlation: Correlation,
    run: RuleRun,
  ): void {
    const { rule, program } = compiled;
    const optional = rule.optionalOldSelf === true;
    if (!program || (compiled.usesOldSelf && variables.isNew && !optional)) return;
    const type = this.schema.type ?? '';
    const outcome = program.run(variables.lookup(optional), perCallLimit);
    if (outcome.cost > run.budget) return run.stop(invalid(at, type, outOfBudget));
    run.budget -= outcome.cost;
    if (outcome.error) {
      const { message } = outcome.error;
      const words = ruleWords(rule);
      if (!(outcome.error instanceof EvaluationError)) {
        const detail = `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${words}`;
        return run.stop(invalid(at, type, detail));
      }
      const detail = message.startsWith('no such overload')
        ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${words}`
        : `${message} evaluating rule: ${words}`;
      run.errors.push(invalid(at, type, detail));
      return;
    }
    if (outcome.value === true) return;
    this.reportFailure(compiled, variables, at, correlation, run);
  }

  private reportFailure(
    compiled: CompiledRule,
    variables: RuleVariables,
    at: FieldPath | string,
    correlation: Correlation,
    run: RuleRun,
  ): void {
    const { rule } = compiled;
    const target =
      compiled.fieldPath === '' ? at : (at === '<nil>' ? FieldPath.root : (at as FieldPath)).child(compiled.fieldPath);
    const forgive = !compiled.usesOldSelf && isUnchanged(correlation);
    const message = evaluateMessage(compiled, variables, run.budget);
    if (message.failure !== undefined) {
      run.add(invalid(target, this.schema.type ?? '', message.failure), forgive);
      run.budget = -1;
      return;
    }
    run.budget -= message.cost;
    const detail = message.text ?? (rule.message ? rule.message.trim() : `failed rule: ${ruleWords(rule)}`);
    run.add(ruleError(rule, target, this.schema, variables.json, detail), forgive);
  }
}

function correlateField({ own, parent }: Correlation, key: string, value: unknown, old: unknown): Correlation {
  if (!own) return { own, parent };
  // The server converts both objects to one version first, so a change of apiVersion or kind would go unseen.
  if (!parent && (key === 'apiVersion' || key === 'kind')) return { own: undefined, parent: undefined };
  return { own: old === undefined ? undefined : { value, old }, parent: own };
}
