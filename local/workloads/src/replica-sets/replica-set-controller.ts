import { type Client, kinds } from '@tektite/client';
import {
  type ControllerDefinition,
  defineController,
  done,
  failed,
  mapped,
  type Result,
  requeueAfter,
  type StatusOf,
} from '@tektite/controller';
import { formatTime, isStatusError, labelSelectorOf } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { Pod, ReplicaSet, ReplicationController } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import { claim, sortClaims } from '../pods/claim.ts';
import { isCurrent } from '../pods/is-current.ts';
import { claimable, controllerKeys, orphanIndex } from '../pods/orphan-index.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { nextAvailableIn } from '../pods/pod-state.ts';
import { slowStart } from '../pods/slow-start.ts';
import { replicaSetStatus, type Scaling, scaling, type ScalingFailure } from './decide.ts';

/** Keeps as many Pods of a template as a ReplicaSet says. */
export function replicaSetController(record: RecordEvent): ControllerDefinition {
  return podKeeper(
    'replicaset',
    kinds.ReplicaSet,
    (replicaSet) => replicaSet,
    (status) => status,
    record,
  );
}

/** The same for the older form, whose selector is a map and which does not say how many Pods are on their way out. */
export function replicationController(record: RecordEvent): ControllerDefinition {
  const toSet = (controller: ReplicationController): ReplicaSet => {
    const { selector, ...spec } = controller.spec ?? {};
    return { ...controller, spec: { ...spec, selector: { matchLabels: selector ?? {} } } };
  };
  const fromStatus = ({ terminatingReplicas: _, ...status }: NonNullable<ReplicaSet['status']>) => status;
  return podKeeper('replicationcontroller', kinds.ReplicationController, toSet, fromStatus, record);
}

function podKeeper<T extends ReplicaSet | ReplicationController>(
  name: string,
  kind: Kind<T>,
  toSet: (object: T) => ReplicaSet,
  fromStatus: (status: NonNullable<ReplicaSet['status']>) => NonNullable<T['status']>,
  record: RecordEvent,
): ControllerDefinition {
  const pods = mapped(kinds.Pod, controllerKeys, { indexes: orphanIndex });
  return defineController<T>({
    name,
    kind,
    sources: [pods],
    concurrency: 8,
    async reconcile(object, { cache, client, clock, writeStatus }): Promise<Result> {
      const replicaSet = toSet(object);
      const selector = labelSelectorOf(replicaSet.spec?.selector);
      const claims = sortClaims(replicaSet, selector, claimable(cache(pods), replicaSet));
      const mine = await claim(client, kind, replicaSet, kinds.Pod, claims);
      const now = clock.now();
      const plan = scaling(replicaSet, mine, now);
      if (plan.type === 'create' && !(await isCurrent(client, kind, object))) return done;
      const failure = await act(client, replicaSet, plan, record);
      const text = formatTime(now);
      const status = replicaSetStatus(replicaSet, mine, failure?.condition, { milliseconds: now, text });
      await writeStatus(object, fromStatus(status) as StatusOf<T>);
      if (failure) return failed(failure.error);
      const wait = nextAvailableIn(mine, replicaSet.spec?.minReadySeconds ?? 0, now);
      return wait === undefined ? done : requeueAfter(wait);
    },
  });
}

interface ActFailure {
  readonly condition: ScalingFailure;
  readonly error: Error;
}

async function act(
  client: Client,
  owner: ReplicaSet,
  plan: Scaling,
  record: RecordEvent,
): Promise<ActFailure | undefined> {
  if (plan.type === 'none') return undefined;
  const isCreation = plan.type === 'create';
  const { failure } = isCreation
    ? await slowStart(plan.count, () => createPod(client, owner, record))
    : await deletePods(client, owner, plan.pods, record);
  if (failure === undefined) return undefined;
  const error = failure instanceof Error ? failure : new Error(String(failure));
  // In a namespace that goes, nothing can be made, and nothing has to be.
  if (isCreation && isStatusError(error, 'Forbidden') && /being terminated/.test(error.message)) return undefined;
  return { condition: { reason: isCreation ? 'FailedCreate' : 'FailedDelete', message: error.message }, error };
}

async function createPod(client: Client, owner: ReplicaSet, record: RecordEvent): Promise<void> {
  try {
    const pod = await client.create(kinds.Pod, podFromTemplate(owner, owner.spec?.template ?? {}));
    record(owner, { reason: 'SuccessfulCreate', message: `Created pod: ${pod.metadata.name}` });
  } catch (error) {
    const message = `Error creating: ${(error as Error).message}`;
    record(owner, { type: 'Warning', reason: 'FailedCreate', message });
    throw error;
  }
}

async function deletePods(
  client: Client,
  owner: ReplicaSet,
  pods: readonly Pod[],
  record: RecordEvent,
): Promise<{ readonly failure?: unknown }> {
  const results = await Promise.allSettled(
    pods.map(async ({ metadata }) => {
      const { namespace = '', name = '', uid } = metadata;
      try {
        await client.delete(kinds.Pod, { namespace, name }, uid ? { preconditions: { uid } } : {});
        record(owner, { reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
      } catch (error) {
        if (isStatusError(error, 'NotFound') || isStatusError(error, 'Conflict')) return;
        record(owner, {
          type: 'Warning',
          reason: 'FailedDelete',
          message: `Error deleting: ${(error as Error).message}`,
        });
        throw error;
      }
    }),
  );
  const rejected = results.find((result) => result.status === 'rejected');
  return rejected ? { failure: rejected.reason as unknown } : {};
}
