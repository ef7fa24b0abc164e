import { celEnvironment, dynType, jsonValue, ListValue, perCallLimit, type Program, type Value } from '@tektite/schema';

const environments = {
  claims: celEnvironment({ variables: { claims: dynType } }),
  user: celEnvironment({ variables: { user: dynType } }),
};

/** A CEL expression about the claims of a token, or about the user that they are mapped to. */
export interface ClaimExpression {
  /** Throws an Error when the expression cannot be evaluated. */
  evaluate(about: unknown): Value | undefined;
}

/** Compiles an expression. Throws an Error with the reason why it cannot be compiled. */
export function claimExpression(variable: 'claims' | 'user', text: string): ClaimExpression {
  const { program, error } = environments[variable].compile(text);
  if (!program) throw new Error(error);
  return { evaluate: (about) => run(program, variable, about) };
}

function run(program: Program, variable: string, about: unknown): Value | undefined {
  const known = jsonValue(about);
  const { value, error } = program.run((name) => (name === variable ? known : undefined), perCallLimit);
  if (error) throw new Error(error.message);
  return value;
}

/** A text, or a list of texts; empty ones are none, as upstream has it. */
export function textsOf(value: unknown): string[] {
  const values: unknown[] = value instanceof ListValue || Array.isArray(value) ? [...value] : [value];
  return values.filter((each): each is string => typeof each === 'string' && each !== '');
}
