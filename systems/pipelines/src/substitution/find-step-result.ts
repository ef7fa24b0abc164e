/** A reference to a result of a step: `$(steps.STEP.results.RESULT)`. */
export interface StepResultReference {
  readonly step: string;
  readonly result: string;
}

const [start, middle, end] = ['$(steps.', '.results.', ')'] as const;

/** The first reference to a result of a step in a text. It does not span lines. */
export function findStepResult(text: string): StepResultReference | undefined {
  if (!text.includes(start)) return undefined;
  for (const line of text.split('\n')) {
    // If there is one in a line at all, the first place where one could begin is where it does.
    const stepAt = line.indexOf(start) + start.length;
    const stepEnd = stepAt < start.length ? -1 : line.indexOf(middle, stepAt);
    const resultAt = stepEnd + middle.length;
    const resultEnd = stepEnd < 0 ? -1 : line.indexOf(end, resultAt);
    if (resultEnd >= 0) return { step: line.slice(stepAt, stepEnd), result: line.slice(resultAt, resultEnd) };
  }
  return undefined;
}
