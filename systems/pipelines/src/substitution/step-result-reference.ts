/** A reference to a result of a step, whole, to an item of it or to a key. */
export interface StepResultReference {
  readonly step: string;
  readonly result: string;
}

const forms =
  '1). "steps.<stepName>.results.<resultName>"; 2). "steps.<stepName>.results.<objectResultName>.<individualAttribute>"';
const index = /\[([0-9])*\*?\]/g;

/**
 * Parses `steps.STEP.results.RESULT`, with an index or a key behind it or not. Throws an error in upstream's words for
 * anything else.
 */
export function parseStepResult(expression: string): StepResultReference {
  const [steps, step = '', results, result = '', ...rest] = expression.split('.');
  if (
    steps !== 'steps' ||
    results !== 'results' ||
    result === undefined ||
    rest.length > 1 ||
    expression.split('.').length < 4
  )
    throw new Error(`must be one of the form ${forms}`);
  return { step, result: rest.length === 0 ? result.replaceAll(index, '') : result };
}
