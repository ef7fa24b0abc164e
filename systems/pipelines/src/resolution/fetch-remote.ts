import type { Random } from '@tektite/meta';
import { apiVersionOf, type Kind } from '@tektite/schema';
import type { KubeObject, Owner } from '@tektite/meta';
import {
  Pipeline,
  type PipelineObject,
  PipelineV1beta1,
  StepAction,
  type StepActionObject,
  StepActionV1alpha1,
  Task,
  type TaskObject,
  TaskV1beta1,
} from '../kinds/kinds.ts';
import type { RefSource } from '../kinds/run-status.ts';
import { VerificationPolicy } from '../kinds/verification-policy.ts';
import { verifyRemote } from '../trust/verify-remote.ts';
import type { VerificationResult } from '../conditions/verification-result.ts';
import { pipelinesConversion } from '../rules/conversion/pipelines-conversion.ts';
import { defaultPipelineSpec } from '../rules/defaults/default-pipeline.ts';
import { defaultTaskSpec } from '../rules/defaults/default-task.ts';
import type { CurrentSettings } from '../config/current-settings.ts';
import type { Rules } from '../rules/rules.ts';
import { decodeRemote } from './decode-remote.ts';
import { RemoteFailure } from './remote-failure.ts';
import { type RemoteReference, requestRemote, type RequestPlace } from './request-remote.ts';
import { validateRemote } from './validate-remote.ts';

/** Where things are fetched and checked. */
export interface RemotePlace extends RequestPlace {
  readonly random: Random;
  readonly settings: CurrentSettings;
}

/** Something from elsewhere, as good as one of the cluster's own. */
export interface RemoteObject<T extends KubeObject> {
  readonly object: T;
  /** For the provenance in the status of the run. */
  readonly refSource: RefSource | undefined;
  /** Always `skipped` for StepActions. A run must not go on with what `failed`. */
  readonly verification: VerificationResult;
}

/**
 * The Task that a run refers to by a resolver, in v1.
 *
 * Throws `RemotePending` while it is on its way, `RemoteFailure` when it cannot be had, and what the API said when trying again
 * may help.
 *
 * @example
 * try {
 *   const { object, refSource, verification } = await fetchTask(taskRun, { resolver: 'git', params }, place);
 * } catch (error) {
 *   if (isRemotePending(error)) return waiting('ResolvingTaskRef', `TaskRun ${key} awaiting remote resource`);
 *   if (!isRemoteFailure(error)) throw error; // the reconcile is repeated
 *   const reason = error.stage === 'validation' ? 'TaskValidationFailed' : 'TaskRunResolutionFailed';
 *   return failed(reason, error.isUserError ? `[User error] ${error.message}` : error.message);
 * }
 */
export function fetchTask(
  owner: Owner,
  reference: RemoteReference,
  place: RemotePlace,
): Promise<RemoteObject<TaskObject>> {
  return fetchRemote(owner, reference, place, task);
}

/** The Pipeline that a run refers to by a resolver, in v1. Throws as {@link fetchTask} does. */
export function fetchPipeline(
  owner: Owner,
  reference: RemoteReference,
  place: RemotePlace,
): Promise<RemoteObject<PipelineObject>> {
  return fetchRemote(owner, reference, place, pipeline);
}

/** The StepAction that a step refers to by a resolver, in v1beta1. Throws as {@link fetchTask} does. */
export function fetchStepAction(
  owner: Owner,
  reference: RemoteReference,
  place: RemotePlace,
): Promise<RemoteObject<StepActionObject>> {
  return fetchRemote(owner, reference, place, stepAction);
}

/** The facts of a kind that can be fetched. */
interface Fetchable<T extends KubeObject> {
  readonly hub: Kind<T>;
  readonly versions: readonly Kind[];
  readonly isVerified: boolean;
  readonly denial: string;
  applyDefaults(object: KubeObject, rules: Rules): KubeObject;
}

const task: Fetchable<TaskObject> = {
  hub: Task,
  versions: [Task, TaskV1beta1],
  isVerified: true,
  denial: 'resource is not a task',
  applyDefaults: (object, rules) =>
    ({ ...object, spec: defaultTaskSpec((object as TaskObject).spec, rules) }) as KubeObject,
};

const pipeline: Fetchable<PipelineObject> = {
  hub: Pipeline,
  versions: [Pipeline, PipelineV1beta1],
  isVerified: true,
  denial: 'resource is not a pipeline',
  applyDefaults: (object, rules) =>
    ({ ...object, spec: defaultPipelineSpec((object as PipelineObject).spec, rules) }) as KubeObject,
};

const stepAction: Fetchable<StepActionObject> = {
  hub: StepAction,
  versions: [StepAction, StepActionV1alpha1],
  isVerified: false,
  denial: 'resource is not a StepAction',
  applyDefaults: (object) => object,
};

async function fetchRemote<T extends KubeObject>(
  owner: Owner,
  reference: RemoteReference,
  place: RemotePlace,
  wanted: Fetchable<T>,
): Promise<RemoteObject<T>> {
  const { request, data, refSource } = await requestRemote(owner, reference, place);
  const read = readOf(request, wanted, place.settings) ?? readObject(data, wanted, place.settings);
  const verification = wanted.isVerified ? await verify(read.object, refSource, owner, place) : notVerified;
  if (read.result) return { object: read.result as T, refSource, verification };
  const validated = await validateRemote(read.kind, read.object, owner.metadata.namespace ?? '', place);
  const object = await inHub(validated, wanted.hub, place.settings);
  reads.set(request, { ...read, result: object });
  return { object, refSource, verification };
}

/** The decoded data of a request, the settings at that time, and the object that the API returned. */
interface Read {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly rules: Rules;
  readonly wanted: unknown;
  readonly result?: KubeObject;
}

/**
 * A PipelineRun requests its tasks in every reconcile. As long as its request is the same object, and the settings are,
 * the answer is the same, too.
 */
const reads = new WeakMap<object, Read>();

function readOf(request: object, wanted: unknown, { flags, defaults }: CurrentSettings): Read | undefined {
  const read = reads.get(request);
  if (!read || read.wanted !== wanted) return undefined;
  return read.rules.flags === flags() && read.rules.defaults === defaults() ? read : undefined;
}

function readObject<T extends KubeObject>(data: Uint8Array, wanted: Fetchable<T>, settings: CurrentSettings): Read {
  const decoded = decodeRemote(data);
  const kind = wanted.versions.find((each) => each.kind === decoded.kind && apiVersionOf(each) === decoded.apiVersion);
  if (!kind) throw new RemoteFailure('resolution', wanted.denial);
  const { ownerReferences: _, ...metadata } = decoded.metadata;
  const rules = rulesOf(kind, settings);
  return { kind, rules, wanted, object: wanted.applyDefaults({ ...decoded, metadata }, rules) };
}

const notVerified: VerificationResult = { outcome: 'skipped' };

/** Before it is changed in any other way: what was signed is what was fetched, with its defaults. */
async function verify(
  object: KubeObject,
  refSource: RefSource | undefined,
  { metadata }: Owner,
  { client, signal, settings }: RemotePlace,
): Promise<VerificationResult> {
  const { namespace = '' } = metadata;
  const { items: policies } = await client.list(VerificationPolicy, { namespace, signal });
  const noMatchPolicy = settings.flags().verificationNoMatchPolicy;
  return verifyRemote(object, refSource?.uri ?? '', { policies, noMatchPolicy }, { client, signal });
}

function rulesOf({ version }: Kind, { flags, defaults }: CurrentSettings): Rules {
  return { flags: flags(), defaults: defaults(), version: version as Rules['version'], isCreate: false };
}

/** The object in the version that runs use. */
async function inHub<T extends KubeObject>(object: KubeObject, hub: Kind<T>, settings: CurrentSettings): Promise<T> {
  const desiredAPIVersion = apiVersionOf(hub);
  if (object.apiVersion === desiredAPIVersion) return object as T;
  const review = { uid: '', objects: [object], desiredAPIVersion };
  const { convertedObjects, result } = await pipelinesConversion(settings).convert(review);
  if (result.status === 'Success') return convertedObjects[0] as T;
  throw new RemoteFailure('resolution', result.message ?? `cannot convert to ${desiredAPIVersion}`);
}
