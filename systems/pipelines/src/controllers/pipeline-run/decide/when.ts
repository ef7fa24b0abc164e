import { type CelEnvironment, celEnvironment } from '@tektite/schema';
import type { WhenExpression } from '../../../kinds/when-expression.ts';

/** The results of CEL expressions of conditions. */
export type CelOutcomes = ReadonlyMap<string, boolean>;

/** Whether all conditions hold. One that is only CEL has no values, and its input is not among them. */
export function allowsExecution(when: readonly WhenExpression[] = [], cel: CelOutcomes): boolean {
  return when.every((each) => isTrue(each) && (!each.cel || cel.get(each.cel) === true));
}

function isTrue({ input = '', operator, values = [] }: WhenExpression): boolean {
  return values.includes(input) === (operator === 'in');
}

/** An expression that cannot be read, fails, or is neither true nor false. */
export class CelError extends Error {
  override readonly name = 'CelError';
}

let environment: CelEnvironment | undefined;

/** Evaluates the CEL expressions of conditions: there are no variables, only what has been put in their places. */
export function evaluateCel(when: readonly WhenExpression[] = []): CelOutcomes {
  const outcomes = new Map<string, boolean>();
  for (const { cel } of when) if (cel && !outcomes.has(cel)) outcomes.set(cel, evaluate(cel));
  return outcomes;
}

/** Far more than any condition needs, and far less than would be noticed. */
const costLimit = 1_000_000;

function evaluate(expression: string): boolean {
  environment ??= celEnvironment({ isPlain: true });
  const { program, error } = environment.compile(expression);
  if (!program) throw new CelError(error);
  const { value, error: failure } = program.run(() => undefined, costLimit);
  if (failure) throw new CelError(inTektonsWords(failure.message));
  if (typeof value === 'boolean') return value;
  throw new CelError(`The CEL expression ${expression} is not evaluated to a boolean`);
}

const conversions: readonly (readonly [RegExp, string])[] = [
  [/^strconv\.ParseInt: /, 'int'],
  [/^strconv\.ParseUint: /, 'uint'],
  [/^strconv\.ParseFloat: /, 'double'],
  [/^strconv\.ParseBool: /, 'bool'],
  [/^time: .* duration /, 'google.protobuf.Duration'],
  [/^parsing time /, 'google.protobuf.Timestamp'],
];

/** Tekton has another version of the library than Kubernetes, which says less about texts that cannot be read. */
function inTektonsWords(message: string): string {
  const target = conversions.find(([pattern]) => pattern.test(message))?.[1];
  return target === undefined ? message : `type conversion error from 'string' to '${target}'`;
}
