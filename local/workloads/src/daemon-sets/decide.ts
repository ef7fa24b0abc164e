import type { ControllerRevision, DaemonSet, Node, Pod } from '@tektite/schema/kubernetes';
import { portion } from '../deployments/rollout.ts';
import { omitZero } from '../pods/omit-zero.ts';
import { createdAt, isAvailable, isReady } from '../pods/pod-state.ts';
import { matchesNodeRules } from '../scheduler/node-affinity.ts';
import { untolerated } from '../scheduler/tolerations.ts';
import { daemonSpec, nodeOf, revisionHash, revisionLabel } from './daemon-pod.ts';

export interface DaemonView {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly revision: ControllerRevision;
  readonly now: number;
}

export interface DaemonPlan {
  /** Names of nodes. */
  readonly create: readonly string[];
  readonly delete: readonly { readonly pod: Pod; readonly failed: boolean }[];
  readonly status: NonNullable<DaemonSet['status']>;
}

const isDeleting = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;

/** Whether a node should get a Pod, and whether one that is there may stay. */
function shouldRunOn(set: DaemonSet, node: Node): { readonly run: boolean; readonly stay: boolean } {
  const spec = daemonSpec(set);
  if (!matchesNodeRules(spec, node)) return { run: false, stay: false };
  const { taints } = node.spec ?? {};
  return {
    run: untolerated(spec.tolerations, taints) === undefined,
    stay: untolerated(spec.tolerations, taints, ['NoExecute']) === undefined,
  };
}

export function planDaemonSet(view: DaemonView): DaemonPlan {
  const { set, nodes, pods } = view;
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    if (node !== undefined) byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  const nodeDecisions = new Map(nodes.map((node) => [node.metadata.name ?? '', shouldRunOn(set, node)]));
  const create: string[] = [];
  const remove: { readonly pod: Pod; readonly failed: boolean }[] = [];
  for (const [node, { run, stay }] of nodeDecisions) {
    const here = byNode.get(node) ?? [];
    const failed = here.filter((pod) => pod.status?.phase === 'Failed' && !isDeleting(pod));
    const alive = here.filter((pod) => pod.status?.phase !== 'Failed' && !isDeleting(pod));
    if (!stay) remove.push(...here.filter((pod) => !isDeleting(pod)).map((pod) => ({ pod, failed: false })));
    else {
      remove.push(...failed.map((pod) => ({ pod, failed: true })));
      remove.push(...surplusOn(view, alive).map((pod) => ({ pod, failed: false })));
      if (run && here.length === 0) create.push(node);
    }
  }
  for (const [node, here] of byNode)
    if (!nodeDecisions.has(node))
      remove.push(
        ...here.filter((pod) => !isDeleting(pod) && !pod.spec?.nodeName).map((pod) => ({ pod, failed: false })),
      );
  const isQuiet = create.length === 0 && remove.length === 0;
  const wanted = [...nodeDecisions].filter(([, { run }]) => run).map(([node]) => node);
  if (isQuiet && surgeOf(set, wanted.length) > 0) create.push(...surging(view, wanted, byNode));
  else if (isQuiet && set.spec?.updateStrategy?.type !== 'OnDelete')
    remove.push(...outdated(view, wanted, byNode).map((pod) => ({ pod, failed: false })));
  const deleting = set.metadata.deletionTimestamp !== undefined;
  return {
    create: deleting ? [] : create,
    delete: deleting ? [] : remove,
    status: statusOf(view, nodeDecisions, byNode),
  };
}

/** How many nodes may have a new Pod beside the old one. */
function surgeOf({ spec }: DaemonSet, nodes: number): number {
  if (spec?.updateStrategy?.type === 'OnDelete') return 0;
  return portion(spec?.updateStrategy?.rollingUpdate?.maxSurge ?? 0, nodes, Math.ceil);
}

/** Of several on a node the oldest stays; where there may be two, a new one stays too, and the old one until it is needed no more. */
function surplusOn(view: DaemonView, alive: readonly Pod[]): readonly Pod[] {
  const { set, revision, nodes, now } = view;
  const sorted = alive.toSorted((a, b) => createdAt(a) - createdAt(b));
  if (surgeOf(set, nodes.length) === 0) return sorted.slice(1);
  const fresh = sorted.filter((pod) => isCurrent(pod, revision));
  const old = sorted.filter((pod) => !isCurrent(pod, revision));
  const replaced = fresh[0] !== undefined && isAvailable(fresh[0], set.spec?.minReadySeconds ?? 0, now);
  return [...fresh.slice(1), ...old.slice(replaced ? 0 : 1)];
}

/** The nodes that get a new Pod beside the old one: at once where the old one does not work, elsewhere as many as may. */
function surging(
  { set, revision, now }: DaemonView,
  wanted: readonly string[],
  byNode: ReadonlyMap<string, readonly Pod[]>,
): readonly string[] {
  let free = surgeOf(set, wanted.length);
  const broken: string[] = [];
  const working: string[] = [];
  for (const node of wanted) {
    const here = (byNode.get(node) ?? []).filter((pod) => !isDeleting(pod));
    if (here.some((pod) => isCurrent(pod, revision))) {
      if (here.length > 1) free--;
    } else if (here.some((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now))) working.push(node);
    else broken.push(node);
  }
  return [...broken, ...working.slice(0, Math.max(0, free))];
}

function isCurrent({ metadata }: Pod, revision: ControllerRevision): boolean {
  return metadata.labels?.[revisionLabel] === revisionHash(revision);
}

/** Old Pods that may go now: those that do not work at once, others as far as so many may be missing. */
function outdated(
  { set, revision, now }: DaemonView,
  wanted: readonly string[],
  byNode: ReadonlyMap<string, readonly Pod[]>,
): readonly Pod[] {
  const limit = set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  const maxUnavailable = Math.max(1, portion(limit, wanted.length, Math.ceil));
  const minReady = set.spec?.minReadySeconds ?? 0;
  let missing = 0;
  const broken: Pod[] = [];
  const working: Pod[] = [];
  for (const node of wanted) {
    const pod = byNode.get(node)?.find((each) => !isDeleting(each));
    const available = pod !== undefined && isAvailable(pod, minReady, now);
    if (!available) missing++;
    if (pod && !isCurrent(pod, revision)) (available ? working : broken).push(pod);
  }
  return [...broken, ...working.slice(0, Math.max(0, maxUnavailable - missing))];
}

function statusOf(
  { set, revision, now }: DaemonView,
  nodeDecisions: ReadonlyMap<string, { readonly run: boolean }>,
  byNode: ReadonlyMap<string, readonly Pod[]>,
): NonNullable<DaemonSet['status']> {
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const [node, { run }] of nodeDecisions) {
    const here = byNode.get(node) ?? [];
    if (run) counts.desired++;
    if (!run && here.length > 0) counts.misscheduled++;
    const [pod] = here.toSorted((a, b) => createdAt(a) - createdAt(b));
    if (!run || !pod) continue;
    counts.current++;
    if (isReady(pod)) counts.ready++;
    if (isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)) counts.available++;
    if (isCurrent(pod, revision)) counts.updated++;
  }
  const { collisionCount, conditions } = set.status ?? {};
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...omitZero({
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: counts.updated,
      numberAvailable: counts.available,
      numberUnavailable: counts.desired - counts.available,
    }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions ? { conditions } : {}),
  };
}
