import {
  type CelEnvironment,
  type CelType,
  dynType,
  EvaluationError,
  MapValue,
  perCallLimit,
  structType,
  type Value,
  isEvaluationError,
} from '@tektite/schema';
import type { Variable } from '@tektite/schema/kubernetes';
import {
  type CompiledExpression,
  compileExpression,
} from '../../registry/kinds/admissionregistration/admission-environment.ts';
import type { CostBudget, Variables } from '../expression/evaluate.ts';

/** The variables of a policy: each is an expression that may use those before it. */
export interface ComposedVariables {
  readonly type: CelType;
  readonly expressions: ReadonlyMap<string, CompiledExpression>;
}

/** Compiles variables. `environmentFor` makes an environment in which `variables` has the type it is given. */
export function composeVariables(
  variables: readonly Variable[],
  environmentFor: (type: CelType) => CelEnvironment,
): ComposedVariables {
  const fields = new Map<string, CelType>();
  const type = structType('kubernetes.variables', fields);
  const expressions = new Map<string, CompiledExpression>();
  const environment = environmentFor(type);
  for (const { name, expression } of variables) {
    const compiled = compileExpression(environment, expression, []);
    expressions.set(name, compiled);
    fields.set(name, compiled.type ?? dynType);
  }
  return { type, expressions };
}

/** The value of `variables` in one review: each variable is evaluated when it is first used, and then kept. */
export class LazyVariables extends MapValue {
  readonly type: CelType;
  private readonly expressions: ReadonlyMap<string, CompiledExpression>;
  private readonly lookup: Variables;
  private readonly budget: CostBudget;
  private readonly values = new Map<string, Value | EvaluationError>();

  constructor({ type, expressions }: ComposedVariables, lookup: Variables, budget: CostBudget) {
    super();
    this.type = type;
    this.expressions = expressions;
    this.lookup = lookup;
    this.budget = budget;
  }

  get size(): number {
    return this.expressions.size;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const expression = this.expressions.get(key);
    if (!expression) return undefined;
    let value = this.values.get(key);
    if (value === undefined) this.values.set(key, (value = this.evaluate(key, expression)));
    if (isEvaluationError(value)) throw value;
    return value;
  }

  keys(): Iterable<Value> {
    return this.expressions.keys();
  }

  private evaluate(name: string, { program, error }: CompiledExpression): Value | EvaluationError {
    if (!program) return new EvaluationError(`composited variable "${name}" fails to compile: ${error}`);
    const outcome = program.run(this.lookup, perCallLimit);
    this.budget.spend(outcome.cost);
    if (outcome.error)
      return new EvaluationError(`composited variable "${name}" fails to evaluate: ${outcome.error.message}`);
    return outcome.value ?? null;
  }
}
