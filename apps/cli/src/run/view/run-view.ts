import type { KubeObject } from '@tektite/meta';
import type { PullProgress } from '@tektite/oci';
import type { RunResult } from '@tektite/pipelines';
import type { RunNode, RunState, RunTimes } from '@tektite/dashboard/run';

/** The step that something is about. */
export interface StepPlace {
  /** The run that the user started. */
  readonly run: string;
  /** Tasks of pipelines on the way to it; empty for a TaskRun. */
  readonly tasks: readonly string[];
  readonly step: string;
}

/** How a run ended. */
export interface RunEnd {
  readonly kind: string;
  readonly name: string;
  readonly state: RunState;
  readonly reason?: string;
  readonly message?: string;
  readonly results: readonly RunResult[];
  readonly tree: RunNode;
  /** The run itself. */
  readonly object: KubeObject;
}

/** Shows runs to people or programs. */
export interface RunView extends Disposable {
  started(kind: string, name: string): void;
  log(place: StepPlace, line: string): void;
  /** `skipped` steps end with a code, too: they did nothing, because another step failed. */
  stepEnded(place: StepPlace, exitCode: number, skipped?: boolean): void;
  /** A run has changed; `trees` are all runs that are shown now. */
  changed(trees: readonly RunNode[], times: RunTimes): void;
  /** A sentence about the work itself. */
  note(text: string): void;
  /** An image is being pulled, or is complete. Views that cannot keep a line fresh leave it out. */
  pulling?(progress: PullProgress): void;
  ended(end: RunEnd, times: RunTimes): void;
}
