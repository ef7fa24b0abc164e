import type { History } from '../history/history.ts';
import { violationOf } from './object-rules.ts';
import type { Rule, Violation } from './rule.ts';

/**
 * The store itself: each write takes the next revision, follows the version before it, and a write with a precondition is done only on
 * the version that it names. Together that makes writes of one object linearizable.
 */
export const linearizableWrites: Rule = {
  name: 'writes of one object are linearizable',
  check(history) {
    const violations: Violation[] = [];
    const versions = new Map<string, string>();
    const before = new Map<string, string>();
    let last: number | undefined;
    for (const change of history.changes) {
      const { key, revision, previous, at, object, isDeleted } = change;
      const report = (message: string) => violations.push({ at, message: `${key}: ${message}` });
      if (last !== undefined && revision !== last + 1) report(`revision ${revision} follows ${last}`);
      last = revision;
      const known = versions.get(key);
      if (versions.has(key) && known !== previous?.metadata.resourceVersion)
        report(`revision ${revision} replaces ${previous?.metadata.resourceVersion}, but ${known} was the newest`);
      before.set(String(revision), previous?.metadata.resourceVersion ?? '');
      if (isDeleted) versions.delete(key);
      else versions.set(key, object.metadata.resourceVersion ?? '');
    }
    return [...violations, ...preconditionViolations(history, before)];
  },
};

function preconditionViolations(history: History, before: ReadonlyMap<string, string>): readonly Violation[] {
  const violations: Violation[] = [];
  for (const entry of history.entries) {
    if (entry.type !== 'write' || entry.code >= 300 || entry.precondition === undefined) continue;
    const { resourceVersion = '' } = (entry.answer as { metadata?: { resourceVersion?: string } }).metadata ?? {};
    // A write that changes nothing keeps the version.
    if (resourceVersion === entry.precondition) continue;
    const replaced = before.get(resourceVersion);
    // A deletion may be two changes: the time of deletion, and the deletion.
    const isSecondStep = entry.method === 'DELETE' && before.get(replaced ?? '') === entry.precondition;
    if (replaced !== undefined && replaced !== entry.precondition && !isSecondStep)
      violations.push({
        at: entry.at,
        message: `${entry.method} ${entry.path} was for version ${entry.precondition} and replaced ${replaced}`,
      });
  }
  return violations;
}

/** `status.observedGeneration` never falls, and is never ahead of the object. */
export const observedGenerationNeverFalls: Rule = {
  name: 'observedGeneration never falls',
  check: ({ changes }) =>
    changes.flatMap((change) => {
      const now = observed(change.object);
      const then = change.previous ? observed(change.previous) : undefined;
      if (change.isDeleted || now === undefined) return [];
      const generation = change.object.metadata.generation ?? now;
      if (then !== undefined && now < then)
        return [violationOf(change, `observedGeneration went from ${then} to ${now}`)];
      return now > generation ? [violationOf(change, `observedGeneration ${now} of generation ${generation}`)] : [];
    }),
};

function observed(object: object): number | undefined {
  return (object as { status?: { observedGeneration?: number } }).status?.observedGeneration;
}
