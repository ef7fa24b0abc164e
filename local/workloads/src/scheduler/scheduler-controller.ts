import { type Client, kinds, mergePatch, type ObjectKey, strategicMergePatch, ignoreNotFound } from '@tektite/client';
import { cached, type ControllerDefinition, defineController, done, mapped, requeueAfter } from '@tektite/controller';
import { metadataOnly } from '@tektite/controller/cache';
import { formatTime, isStatusError } from '@tektite/meta';
import type { Binding, PersistentVolumeClaim, Pod } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import { ClusterSource } from './cluster-source.ts';
import { ClusterState } from './cluster-state.ts';
import { placePod } from './decide.ts';
import { evictVictims } from './evict-victims.ts';

export const schedulerName = 'default-scheduler';
const selectedNode = 'volume.kubernetes.io/selected-node';

/**
 * Gives Pods their nodes. Decisions are made one after the other, on a state that counts what was decided before; writing
 * them goes on at the same time, many at once. For a Pod of higher priority others are driven out when that makes room.
 */
export function schedulerController(record: RecordEvent): ControllerDefinition {
  const state = new ClusterState();
  const cluster = new ClusterSource(state);
  const changed = () => {
    cluster.somethingChanged();
    return [];
  };
  const claims = mapped(kinds.PersistentVolumeClaim, changed);
  const volumes = mapped(kinds.PersistentVolume, changed);
  const classes = mapped(kinds.StorageClass, changed);
  const namespaces = cached(kinds.Namespace, { transform: metadataOnly });
  return defineController({
    name: 'scheduler',
    kind: kinds.Pod,
    sources: [cluster, claims, volumes, classes, namespaces],
    concurrency: 64,
    predicate: ({ object }) => isOurs(object),
    async reconcile(pod, { cache, client, clock, key, namespace = '', name }) {
      if (!isOurs(pod) || state.isAssumed(key)) return done;
      const placement = placePod(
        pod,
        state,
        {
          claim: (where, which) => cache(claims).get(`${where}/${which}`),
          volume: (which) => cache(volumes).get(which),
          storageClass: (which) => cache(classes).get(which),
        },
        (which) => cache(namespaces).get(which)?.metadata.labels,
      );
      if (placement.type === 'unschedulable') {
        cluster.waiting.add(key);
        const { message, preemption, missing, unbound } = placement;
        // A new claim gets its volume in moments, which has this Pod scheduled. Only one that does not is worth a warning.
        const patience = unbound ? patienceFor(unbound, clock.now()) : 0;
        if (patience > 0) return requeueAfter(patience);
        // Claims are created right before the Pods that use them: the watch of claims may be behind that of Pods. It is about to
        // report the claim, which has this Pod scheduled.
        if (missing !== undefined && (await hasClaim(client, namespace, missing))) return done;
        if (preemption) state.nominate(pod, preemption.node);
        await reportUnschedulable(client, pod, message, preemption?.node, clock.now(), record);
        if (preemption) await evictVictims(client, pod, preemption, formatTime(clock.now()), record);
      } else if (placement.claims.length > 0) {
        cluster.waiting.add(key);
        for (const claim of placement.claims) await selectNode(client, claim, placement.node);
      } else await bind(client, pod, { namespace, name }, placement.node, state, key, record);
      return done;
    },
  });
}

/** How long provisioning may take before Pods are reported to wait for it. */
const provisioningMs = 3000;

function patienceFor({ metadata }: PersistentVolumeClaim, now: number): number {
  return Date.parse(metadata.creationTimestamp ?? '') + provisioningMs - now || 0;
}

async function hasClaim(client: Client, namespace: string, name: string): Promise<boolean> {
  const key = { namespace, name };
  return (await client.getOrUndefined(kinds.PersistentVolumeClaim, key, { metadataOnly: true })) !== undefined;
}

function isOurs({ metadata, spec, status }: Pod): boolean {
  return (
    !spec?.nodeName &&
    metadata.deletionTimestamp === undefined &&
    (spec?.schedulerName ?? schedulerName) === schedulerName &&
    !spec?.schedulingGates?.length &&
    status?.phase !== 'Failed' &&
    status?.phase !== 'Succeeded'
  );
}

async function bind(
  client: Client,
  pod: Pod,
  key: ObjectKey,
  node: string,
  state: ClusterState,
  stateKey: string,
  record: RecordEvent,
): Promise<void> {
  state.assume(pod, node);
  const { namespace = '', name } = key;
  const { uid } = pod.metadata;
  const binding: Binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { namespace, name, ...(uid ? { uid } : {}) },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  };
  try {
    await client.createSubresource(kinds.Pod, key, 'binding', binding);
  } catch (error) {
    state.removePod(stateKey);
    if (isStatusError(error, 'NotFound')) return;
    throw error;
  }
  record(pod, {
    reason: 'Scheduled',
    message: `Successfully assigned ${namespace}/${name} to ${node}`,
    action: 'Binding',
  });
}

async function selectNode(client: Client, { metadata }: PersistentVolumeClaim, node: string): Promise<void> {
  if (metadata.annotations?.[selectedNode] === node) return;
  const { namespace = '', name = '', resourceVersion } = metadata;
  const patch = mergePatch({ metadata: { resourceVersion, annotations: { [selectedNode]: node } } });
  await client.patch(kinds.PersistentVolumeClaim, { namespace, name }, patch);
}

async function reportUnschedulable(
  client: Client,
  pod: Pod,
  message: string,
  nominated: string | undefined,
  now: number,
  record: RecordEvent,
): Promise<void> {
  const { namespace = '', name = '', generation } = pod.metadata;
  const old = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const known = old?.status === 'False' && old.reason === 'Unschedulable' && old.message === message;
  if (known && (nominated === undefined || nominated === pod.status?.nominatedNodeName)) return;
  record(pod, { type: 'Warning', reason: 'FailedScheduling', message, action: 'Scheduling' });
  const condition = {
    type: 'PodScheduled',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? formatTime(now)) : formatTime(now),
    reason: 'Unschedulable',
    message,
  };
  const patch = strategicMergePatch({
    metadata: { uid: pod.metadata.uid },
    status: { conditions: [condition], ...(nominated ? { nominatedNodeName: nominated } : {}) },
  });
  await client.patchStatus(kinds.Pod, { namespace, name }, patch).catch(ignoreNotFound);
}
