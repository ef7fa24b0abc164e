import type { DynamicObject } from '@tektite/meta';
import { mappingAt } from '../field-value.ts';
import { groupKindOf } from '../object-identity.ts';
import { current, failed, findCondition, inProgress, type Readiness } from './readiness.ts';
import { workloadRules } from './workload-status.ts';

export interface ReadinessOptions {
  /** Milliseconds since the epoch; Pods that cannot be scheduled fail after a while. */
  readonly now: number;
  /**
   * Stricter than kstatus, for which a started Job and a custom resource that is not ready are Current. Default true.
   */
  readonly strict?: boolean;
  /** Reasons of conditions by which a custom resource says that it will never be ready. */
  readonly failedReasons?: readonly string[];
  /** One's own rules, by kind as `Certificate.cert-manager.io`. Undefined: as usual. */
  readonly rules?: Readonly<Record<string, (object: DynamicObject) => Readiness | undefined>>;
}

/**
 * How an object is doing, by the rules of kstatus.
 *
 * @example
 * objectStatus(deployment, { now: Date.now() }) // { status: 'InProgress', reason: 'LessReplicas', message: 'replicas: 1/3' }
 */
export function objectStatus(object: DynamicObject, options: ReadinessOptions): Readiness {
  const { strict = true, now } = options;
  if (object.metadata.deletionTimestamp)
    return { status: 'Terminating', reason: 'Deleted', message: 'it is being deleted' };
  const generic = genericStatus(object);
  if (generic) return generic;
  const own = options.rules?.[groupKindOf(object)]?.(object);
  if (own) return own;
  const rule = workloadRules[groupKindOf(object)];
  if (rule) return rule(object, { now, strict });
  return strict && groupKindOf(object).includes('.') ? customStatus(object, options.failedReasons ?? []) : current();
}

function genericStatus(object: DynamicObject): Readiness | undefined {
  const { generation } = object.metadata;
  const observed = mappingAt(object, 'status')?.observedGeneration;
  if (typeof generation === 'number' && typeof observed === 'number' && observed !== generation)
    return inProgress('LatestGenerationNotObserved', `generation ${generation} was not seen by its controller yet`);
  const reconciling = findCondition(object, 'Reconciling');
  if (reconciling?.status === 'True') return inProgress(reconciling.reason ?? '', reconciling.message ?? '');
  const stalled = findCondition(object, 'Stalled');
  if (stalled?.status === 'True') return failed(stalled.reason ?? '', stalled.message ?? '');
  return undefined;
}

function customStatus(object: DynamicObject, failedReasons: readonly string[]): Readiness {
  for (const type of ['Ready', 'Available']) {
    const condition = findCondition(object, type);
    if (!condition || condition.status === 'True') continue;
    const { reason = '', message = '' } = condition;
    return failedReasons.includes(reason) ? failed(reason, message) : inProgress(reason || `Not${type}`, message);
  }
  return current();
}
