import {
  badRequestError,
  cloneJson,
  forbiddenError,
  formatTime,
  type KubeObject,
  labelSelectorOf,
  notFoundError,
  type StatusCause,
  StatusError,
} from '@tektite/meta';
import type { Eviction, Pod, PodCondition, PodDisruptionBudget } from '@tektite/schema/kubernetes';
import { type Draft, errorTarget, type Resource, storageKey } from '../../registry/resource.ts';
import type { ResourceTable } from '../../registry/resource-table.ts';
import type { WriteContext } from '../../store/write-context.ts';
import { type DeleteOptions, parseDeleteOptions } from '../../request/delete-options.ts';
import { parseWriteOptions } from '../../request/options.ts';
import { fieldManagerOf } from '../request-context.ts';
import type { RestParts, SubresourceHandler } from '../resource-handler.ts';
import { created } from './binding.ts';
import { reviewAction } from './review-action.ts';
import { readTypedBody } from './typed-body.ts';

const evictionKind = { group: 'policy', version: 'v1', kind: 'Eviction' };
const maxDisruptedPods = 2000;

/** `POST pods/NAME/eviction`: deletes a Pod unless a PodDisruptionBudget says that it is needed. */
export function evictionHandler(parts: RestParts, resources: ResourceTable): SubresourceHandler {
  return async (context, resource) => {
    const { info, request, user, warnings } = context;
    const { dryRun, wire } = parseWriteOptions(request.query, 'CreateOptions');
    const body = readTypedBody<Eviction>(context, evictionKind);
    if (body.metadata?.name !== info.name) throw badRequestError('name in URL does not match name in Eviction object');
    const action = { resource, kind: evictionKind, name: info.name, body, dryRun, options: wire };
    const eviction = await reviewAction(parts, context, action);
    const entry = parts.storage.get(storageKey(resource, info.namespace, info.name));
    if (!entry) throw notFoundError(errorTarget(resource), info.name);
    const options = parseDeleteOptions(
      new URLSearchParams(request.query.has('dryRun') ? 'dryRun=All' : ''),
      eviction.deleteOptions && (dryRun ? { ...eviction.deleteOptions, dryRun: ['All'] } : eviction.deleteOptions),
    );
    const write: WriteContext = {
      user,
      fieldManager: fieldManagerOf(context, ''),
      dryRun: options.dryRun,
      options: options.wire,
      warn: (text: string) => warnings.add(text),
      annotate: context.annotate,
    };
    await spendBudget(parts, resources, entry.value as Pod, write);
    await markEvicted(parts, resource, entry.value as Pod, options, write);
    await parts.deleter.delete(resource, info.namespace, info.name, options, write, { done: true });
    return { code: 201, type: 'object', media: 'json', object: created };
  };
}

/** Pods that run nothing any more, or not yet, may always go. */
function isExempt({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? '');
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
}

/** Takes one disruption from the budget that covers the Pod; throws when there is none left. */
async function spendBudget(parts: RestParts, resources: ResourceTable, pod: Pod, context: WriteContext): Promise<void> {
  if (isExempt(pod)) return;
  const { namespace = '', name: podName = '', labels } = pod.metadata;
  const budgets = parts.storage
    .list(`/registry/poddisruptionbudgets/${namespace}/`)
    .entries.map(({ value }) => value as PodDisruptionBudget)
    .filter(({ spec }) => spec?.selector && labelSelectorOf(spec.selector).matches(labels));
  const [budget] = budgets;
  if (!budget) return;
  if (budgets.length > 1) {
    throw new StatusError({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  }
  if (!isReady(pod) && unhealthyMayGo(budget)) return;
  const resource = resources.find('policy', 'v1', 'poddisruptionbudgets');
  if (!resource) return;
  await parts.objects.update(
    resource,
    {
      namespace,
      name: budget.metadata.name ?? '',
      subresource: 'status',
      reviewed: true,
      change: (old) => spent(old as PodDisruptionBudget, podName, formatTime(parts.clock.now())),
    },
    { ...context, fieldManager: 'kube-apiserver' },
  );
}

function unhealthyMayGo({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function spent(budget: PodDisruptionBudget, podName: string, now: string): Draft {
  const { name = '', generation = 0 } = budget.metadata;
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {}, conditions = [] } = budget.status ?? {};
  if (observedGeneration < generation)
    throw tooManyError(`The disruption budget ${name} is still being processed by the server.`, 10);
  const target = { group: 'policy', resource: 'poddisruptionbudget' };
  const refused = `The disruption budget ${name} does not allow evicting pods currently`;
  if (disruptionsAllowed < 0) {
    const reason = 'pdb disruptions allowed is negative';
    throw withCause(forbiddenError(target, name, reason), `${refused}: ${reason}`);
  }
  if (Object.keys(disruptedPods).length > maxDisruptedPods) {
    throw withCause(
      forbiddenError(target, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'),
      `${refused}: too many pending evictions not confirmed by PDB controller`,
    );
  }
  if (disruptionsAllowed === 0) throw tooManyError(noneLeft(budget));
  const draft = cloneJson(budget as KubeObject) as Draft;
  const left = disruptionsAllowed - 1;
  draft.status = {
    ...(draft.status as object),
    disruptionsAllowed: left,
    disruptedPods: { ...disruptedPods, [podName]: now },
    ...(left === 0 ? { conditions: withoutDisruptions(conditions, generation, now) } : {}),
  };
  return draft;
}

type Condition = NonNullable<NonNullable<PodDisruptionBudget['status']>['conditions']>[number];

function withoutDisruptions(conditions: readonly Condition[], observedGeneration: number, now: string): Condition[] {
  const type = 'DisruptionAllowed';
  const before = conditions.find((condition) => condition.type === type);
  const lastTransitionTime = before?.status === 'False' ? before.lastTransitionTime : now;
  const next = {
    type,
    status: 'False',
    observedGeneration,
    lastTransitionTime,
    reason: 'InsufficientPods',
    message: '',
  };
  return before
    ? conditions.map((condition) => (condition === before ? (next as Condition) : condition))
    : [...conditions, next as Condition];
}

/** Why a budget has nothing left, in words that depend on what its controller found out. */
function noneLeft({ metadata: { name = '' }, status }: PodDisruptionBudget): string {
  const { currentHealthy = 0, desiredHealthy = 0, conditions } = status ?? {};
  const refused = `The disruption budget ${name} does not allow evicting pods currently`;
  const condition = conditions?.find(
    ({ type, message, ...rest }) => type === 'DisruptionAllowed' && rest.status === 'False' && message,
  );
  if (condition?.reason === 'SyncFailed') return `${refused} because it failed sync: ${condition.message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return condition ? `${refused} (${condition.reason}): ${condition.message}` : refused;
}

function tooManyError(message: string, retryAfterSeconds?: number): StatusError {
  const error = new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  });
  return withCause(error, message);
}

function withCause({ status }: StatusError, message: string): StatusError {
  const cause: StatusCause = { reason: 'DisruptionBudget', message };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}

/** Says on the Pod why it goes. */
async function markEvicted(
  parts: RestParts,
  resource: Resource,
  pod: Pod,
  { uid, resourceVersion }: DeleteOptions,
  context: WriteContext,
): Promise<void> {
  const { namespace = '', name = '', uid: actual, resourceVersion: version } = pod.metadata;
  const matches =
    (uid === undefined || uid === actual) && (resourceVersion === undefined || resourceVersion === version);
  // With a version to keep to, the mark would be in the way of the delete itself.
  if (context.dryRun || !matches || resourceVersion !== undefined) return;
  const now = formatTime(parts.clock.now());
  await parts.objects.update(
    resource,
    {
      namespace,
      name,
      subresource: 'status',
      reviewed: true,
      ownManagedFields: true,
      change: (old) => evicted(old as Pod, now),
    },
    context,
  );
}

function evicted(pod: Pod, lastTransitionTime: string): Draft {
  const draft = cloneJson(pod as KubeObject) as Draft;
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastTransitionTime,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
  draft.status = { ...(draft.status as object), conditions: [...others, condition] };
  return draft;
}
