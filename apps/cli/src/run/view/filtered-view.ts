import type { RunView, StepPlace } from './run-view.ts';

export interface LogFilter {
  readonly task?: string;
  readonly step?: string;
}

/** Shows the logs of one task or step only, and then nothing else: what remains can be piped on. */
export function filteredView(view: RunView, { task, step }: LogFilter): RunView {
  if (task === undefined && step === undefined) return view;
  const isShown = (place: StepPlace) =>
    (step === undefined || place.step === step) && (task === undefined || place.tasks.includes(task));
  return {
    started: () => undefined,
    log: (place, line) => {
      if (isShown(place)) view.log(place, line);
    },
    stepEnded: (place, exitCode) => {
      if (isShown(place)) view.stepEnded(place, exitCode);
    },
    changed: () => undefined,
    note: (text) => view.note(text),
    ended: () => undefined,
    [Symbol.dispose]: () => view[Symbol.dispose](),
  };
}
