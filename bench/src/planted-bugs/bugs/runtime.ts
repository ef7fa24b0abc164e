import type { PlantedBug } from '../planted-bug.ts';

const folder = 'core/controller/src';

/** Bugs of the controller runtime: each hits every controller. */
export const runtimeBugs: readonly PlantedBug[] = [
  {
    title: 'the queue drops what changes while its object is reconciled',
    class: 'unobserved state',
    file: `${folder}/queue/work-queue.ts`,
    find: 'if (again) this.lanes.add(key, again.lane);',
    replace: 'if (again) this.pending.delete(key);',
    scenario: 'deployment',
  },
  {
    title: 'the queue gives one object to two workers',
    class: 'stale state',
    file: `${folder}/queue/work-queue.ts`,
    find: 'if (this.processing.has(key)) return;',
    replace: '',
    scenario: 'jobs',
  },
  {
    title: 'the informer keeps what was deleted in a gap of its watch',
    class: 'unobserved state',
    file: `${folder}/cache/informer.ts`,
    find: 'this.content.vanish(event.object);',
    replace: '',
    scenario: 'deployments',
  },
  {
    title: 'the informer delivers no deletions',
    class: 'unobserved state',
    file: `${folder}/reconcile/watch-source.ts`,
    find: "deleted: (object) => add([object], { type: 'deleted', object }),",
    replace: 'deleted: () => undefined,',
    scenario: 'deployment',
  },
  {
    title: 'a reconcile that fails is not repeated',
    class: 'missed rollback',
    file: `${folder}/reconcile/reconcile-run.ts`,
    find: 'return resultOfThrown(thrown);',
    replace: 'return done;',
    scenario: 'deployments',
  },
  {
    title: 'a reconcile does not wait for the writes of the one before',
    class: 'stale state',
    file: `${folder}/reconcile/reconcile-run.ts`,
    find: 'await before?.caughtUp(this.signal);',
    replace: '',
    scenario: 'jobs',
  },
  {
    title: 'an object is reconciled before it has its finalizer',
    class: 'intermediate state',
    file: `${folder}/reconcile/reconcile-run.ts`,
    find: "switch (finalizerStep(object, name)) {\n      case 'hold': {",
    replace:
      "switch (finalizerStep(object, name)) {\n      case 'hold': {\n        return readResult(await definition.reconcile(object, this.context(object)));",
    scenario: 'connector-uninstall',
  },
  {
    title: 'a finalizer is removed together with those of others',
    class: 'lost update',
    file: `${folder}/reconcile/finalize.ts`,
    find: 'const rest = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);',
    replace: 'const rest: string[] = [];',
    scenario: 'caches',
  },
  {
    title: 'finalizers are written without the version that they were read in',
    class: 'lost update',
    file: `${folder}/reconcile/finalize.ts`,
    find: 'uid, resourceVersion, finalizers },',
    replace: 'uid, finalizers },',
    scenario: 'caches',
  },
  {
    title: 'the owner of an object is not enqueued when the object changes',
    class: 'unobserved state',
    file: `${folder}/reconcile/watch-source.ts`,
    find: "modified: (object, before) => add([object, before], { type: 'modified', object, before }),",
    replace: 'modified: () => undefined,',
    scenario: 'deployment',
  },
];
