import type { KubeObject } from '@tektite/meta';
import type { ChangeEntry } from '../history/history.ts';
import type { Rule, Violation } from './rule.ts';

/** Objects of a kind that are finished stay as they are: neither their spec nor these fields of the status change. */
export function finishedStays(
  kind: string,
  isFinished: (object: KubeObject) => boolean,
  essence: (object: KubeObject) => unknown,
): Rule {
  return {
    name: `a finished ${kind} never changes`,
    check: ({ changes }) =>
      changes.flatMap((change) => {
        const { object, previous, isDeleted } = change;
        if (isDeleted || object.kind !== kind || !previous || !isFinished(previous)) return [];
        const [then, now] = [JSON.stringify(essence(previous)), JSON.stringify(essence(object))];
        return then === now ? [] : [violationOf(change, `was finished as ${then} and became ${now}`)];
      }),
  };
}

/** Objects of a kind for which `keyOf` gives the same key never exist twice, not even one after the other. */
export function neverTwice(kind: string, name: string, keyOf: (object: KubeObject) => string | undefined): Rule {
  return {
    name,
    check({ changes }) {
      const first = new Map<string, string>();
      const violations: Violation[] = [];
      for (const change of changes) {
        const { object, previous, isDeleted } = change;
        if (isDeleted || previous || object.kind !== kind) continue;
        const key = keyOf(object);
        if (key === undefined) continue;
        const { name: own = '' } = object.metadata;
        const other = first.get(key);
        if (other !== undefined) violations.push(violationOf(change, `is the second for ${key}, after ${other}`));
        else first.set(key, own);
      }
      return violations;
    },
  };
}

/** At most `limit` objects of a kind count at any moment. */
export function neverMoreThan(kind: string, limit: number, counts: (object: KubeObject) => boolean): Rule {
  return {
    name: `never more than ${limit} of ${kind} at once`,
    check({ changes }) {
      const counted = new Set<string>();
      return changes.flatMap((change) => {
        if (change.object.kind !== kind) return [];
        if (!change.isDeleted && counts(change.object)) counted.add(change.key);
        else counted.delete(change.key);
        return counted.size > limit ? [violationOf(change, `is one of ${counted.size}`)] : [];
      });
    },
  };
}

/** A component changes only objects that it created, and those that `mayChange` allows. */
export function foreignObjectsUntouched(component: string, mayChange: (object: KubeObject) => boolean): Rule {
  return {
    name: `${component} changes no object of another user`,
    check(history) {
      const authors = history.authors();
      const creators = new Map<string, string>();
      return history.changes.flatMap((change) => {
        const { object, previous, revision } = change;
        const { uid = '' } = object.metadata;
        const author = authors.get(revision) ?? 'apiserver';
        if (!previous) creators.set(uid, author);
        const creator = creators.get(uid);
        if (!previous || author !== component || creator === undefined || creator === component) return [];
        if (mayChange(object)) return [];
        return [
          violationOf(
            change,
            `belongs to ${creator} and was ${change.isDeleted ? 'deleted' : 'changed'} by ${component}`,
          ),
        ];
      });
    },
  };
}

/** No object keeps a controller that does not exist: all garbage is collected when everything is at rest. */
export const noOrphans: Rule = {
  name: 'no object is orphaned',
  check({ changes }) {
    const alive = new Map<string, ChangeEntry>();
    const everSeen = new Set<string>();
    for (const change of changes) {
      everSeen.add(change.object.metadata.uid ?? '');
      if (change.isDeleted) alive.delete(change.object.metadata.uid ?? '');
      else alive.set(change.object.metadata.uid ?? '', change);
    }
    return [...alive.values()].flatMap((change) => {
      const gone =
        change.object.metadata.ownerReferences?.filter(({ uid }) => everSeen.has(uid) && !alive.has(uid)) ?? [];
      const all = change.object.metadata.ownerReferences?.length ?? 0;
      return gone.length > 0 && gone.length === all
        ? [violationOf(change, `outlives its owner ${gone[0]?.kind} ${gone[0]?.name}`)]
        : [];
    });
  },
};

export function violationOf({ at, object }: ChangeEntry, message: string): Violation {
  const { namespace, name } = object.metadata;
  return { at, message: `${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name} ${message}` };
}
