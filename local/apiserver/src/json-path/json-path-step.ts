/** Takes all values reached so far and returns those that the next step of a path reaches. Throws when it makes no sense. */
export type JsonPathStep = (values: readonly unknown[]) => unknown[];

/** Runs the steps of a path one after the other. */
export function evaluateSteps(steps: readonly JsonPathStep[], values: readonly unknown[]): unknown[] {
  return steps.reduce<unknown[]>((found, step) => step(found), [...values]);
}
