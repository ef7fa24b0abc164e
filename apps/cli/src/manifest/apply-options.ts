import type { ApplyManifestOptions, PlanChoices } from '@tektite/manifest';
import { readDuration } from '../read-duration.ts';
import { readNumber } from '../user-error.ts';

/** Options that `apply`, `plan` and `rollback` share. */
export interface ApplyChoices {
  readonly namespace: string;
  readonly set?: string;
  readonly prune: boolean;
  readonly pruneKind: readonly string[];
  readonly fieldManager: string;
  readonly forceConflicts?: boolean;
  readonly forceField: readonly string[];
  readonly recreate: readonly string[];
  readonly concurrency: string;
  readonly timeout: string;
  readonly keepGoing?: boolean;
}

/** The options that change the result for objects, and so are part of a plan. */
export function planChoicesOf(choices: Omit<ApplyChoices, 'concurrency' | 'timeout'>): PlanChoices {
  const { namespace, set } = choices;
  return {
    namespace,
    fieldManager: choices.fieldManager,
    force: choices.forceConflicts ?? false,
    forceFields: choices.forceField,
    recreate: choices.recreate,
    prune: choices.prune,
    pruneKinds: choices.pruneKind,
    ...(set ? { set: { name: set, namespace } } : {}),
  };
}

export function applyOptionsOf(choices: ApplyChoices): ApplyManifestOptions {
  return {
    ...planChoicesOf(choices),
    concurrency: readNumber('--concurrency', choices.concurrency, 1, 64),
    patienceMs: Math.min(readDuration('--timeout', choices.timeout), 120_000),
    onFailure: choices.keepGoing ? 'continue' : 'stop',
  };
}
