import { requeueAfter, type Result } from '@tektite/controller';
import type { Steps } from '../../component/steps.ts';
import { ensureTargetNamespace } from '../../component/target-namespace.ts';
import { requeueLater } from '../../extension/progress.ts';
import { componentObjects, pipelineObject } from '../../profile/component-objects.ts';
import { runPostUpgrade } from '../../upgrade/post-upgrade.ts';
import { runPreUpgrade } from '../../upgrade/pre-upgrade.ts';
import { ensureChoice, ensureComponent, ensurePruner, extensionContext, labelVersion } from './act.ts';
import { postUpgradeVersion, preUpgradeVersion } from './config-conditions.ts';
import {
  componentsNotReady,
  decideName,
  decideUpgrade,
  optionalComponents,
  postInstallFailed,
  preInstallFailed,
  prunerConflict,
  upgradePendingMarks,
  upgradeStarted,
  versionBefore,
} from './decide.ts';
import { observeSchedulerNeeds, type ObservedConfig } from './observe.ts';

/** An object was written: the next reconcile observes the result. */
const again: Result = requeueAfter(100);

/** The outcome of a reconcile of a TektonConfig. */
export interface ConfigOutcome {
  readonly result: Result | undefined;
  /** Merged into `status.annotations`. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Done after the status was written. */
  readonly afterwards?: () => Promise<unknown>;
}

/** Advances a TektonConfig by one step, in upstream's order. */
export async function* advanceConfig(observed: ObservedConfig): Steps<ConfigOutcome> {
  const { config, context, namespace, spec } = observed;
  const named = decideName(config.metadata.name ?? '');
  yield named.marks;
  if (!named.goesOn) return { result: undefined };
  const upgrading = (yield* preUpgrade(observed)) ?? (yield* markVersion(observed));
  if (upgrading) return upgrading;
  const metadata = spec.targetNamespaceMetadata ?? {};
  if ((await ensureTargetNamespace(context.client, config, namespace, metadata)) === 'later')
    return { result: requeueLater };
  const isInstalled =
    (yield* preInstall(observed)) && (yield* ensureComponents(observed)) && (yield* ensurePruning(observed));
  if (!isInstalled) return { result: requeueLater };
  yield [{ isTrue: 'ComponentsReady' }];
  if (!(yield* postInstall(observed))) return { result: requeueLater };
  yield [{ isTrue: 'PostInstall' }];
  return yield* postUpgrade(observed);
}

async function* preUpgrade(observed: ObservedConfig): Steps<ConfigOutcome | undefined> {
  const { config, services, context } = observed;
  const { version } = services;
  const phase = decideUpgrade(config.status, 'PreUpgrade', version);
  if (phase === 'completed') {
    yield [{ isTrue: 'PreUpgrade' }];
    return undefined;
  }
  if (phase === 'pending') {
    yield [{ isReset: true }, upgradeStarted('PreUpgrade')];
    return { result: again };
  }
  const isChanged = await runPreUpgrade(context.client, config, services.platform);
  // After a change of the spec, this reconcile has the old one: the next one records the version.
  return isChanged ? { result: again } : { result: again, annotations: { [preUpgradeVersion]: version } };
}

/** The label with the version of the operator: a change of it is an upgrade. */
async function* markVersion(observed: ObservedConfig): Steps<ConfigOutcome | undefined> {
  const before = versionBefore(observed.config);
  if (before === observed.services.version) return undefined;
  yield upgradePendingMarks(before);
  return { result: again, afterwards: () => labelVersion(observed) };
}

/** Whether the platform's part before the components is completed. */
async function* preInstall(observed: ObservedConfig): Steps<boolean> {
  const { services, context } = observed;
  try {
    const progress = await services.extension.config?.preReconcile?.(extensionContext(observed));
    if (progress === 'later') return false;
  } catch (error) {
    context.signal.throwIfAborted();
    yield [preInstallFailed((error as Error).message)];
    return false;
  }
  yield [{ isTrue: 'PreInstall' }];
  return true;
}

const ordered = [
  'eventPruner',
  'multiclusterProxy',
  'scheduler',
  'trigger',
  'chain',
  'result',
  'syncerService',
] as const;

/**
 * Whether Pipelines, and then the others, are ready. All others are created when Pipelines is ready, so that one that cannot be
 * installed does not keep back the rest, as it does upstream. The first that is not ready is reported.
 */
async function* ensureComponents(observed: ObservedConfig): Steps<boolean> {
  const unready = await ensureComponent(observed, pipelineObject);
  const problem = unready === undefined ? prunerConflict(observed) : `TektonPipeline: ${unready}`;
  if (problem !== undefined) {
    yield [componentsNotReady(problem)];
    return false;
  }
  let first: string | undefined;
  for (const choice of ordered) {
    const missing = choice === 'scheduler' ? await observeSchedulerNeeds(observed) : undefined;
    const found = missing ?? (await ensureChoice(observed, choice));
    if (found !== undefined) first ??= `${componentObjects[choice].kind.kind}: ${found}`;
  }
  if (first !== undefined) yield [componentsNotReady(first)];
  return first === undefined;
}

/** Whether the account of the pruning Jobs and their CronJobs are as the spec says. */
async function* ensurePruning(observed: ObservedConfig): Steps<boolean> {
  const state = await ensurePruner(observed);
  if (state.state === 'notReady') yield [componentsNotReady(`tekton-resource-pruner: ${state.message}`)];
  return state.state === 'ready';
}

/** Whether the last part is completed: the dashboard or the addons, Pipelines as Code, and the additions of the platform. */
async function* postInstall(observed: ObservedConfig): Steps<boolean> {
  const { services, context } = observed;
  for (const choice of ['dashboard', 'addon'] as const) {
    const unready = await ensureChoice(observed, choice);
    if (unready === undefined) continue;
    yield [postInstallFailed(`${componentObjects[choice].kind.kind}: ${unready}`)];
    return false;
  }
  if (!(yield* pipelinesAsCode(observed))) return false;
  try {
    return (await services.extension.config?.postReconcile?.(extensionContext(observed))) !== 'later';
  } catch (error) {
    context.signal.throwIfAborted();
    yield [postInstallFailed((error as Error).message)];
    return false;
  }
}

/**
 * Whether Pipelines as Code is ready, or has no release: the profile `all` wants it, and it is not part of this program. A
 * condition of its own says how to add it, and the TektonConfig is ready without it. Upstream's image always has the release.
 */
async function* pipelinesAsCode(observed: ObservedConfig): Steps<boolean> {
  const unready = await ensureChoice(observed, 'pipelinesAsCode');
  const isWanted = observed.choices.pipelinesAsCode === 'wanted';
  const isMissing = isWanted && !(await observed.services.payload.has(['pipelines-as-code']));
  yield optionalComponents(observed.config, isMissing);
  if (unready === undefined || isMissing) return true;
  yield [componentsNotReady(`${componentObjects.pipelinesAsCode.kind.kind}: ${unready}`)];
  return false;
}

async function* postUpgrade(observed: ObservedConfig): Steps<ConfigOutcome> {
  const { config, services, context, sets } = observed;
  const phase = decideUpgrade(config.status, 'PostUpgrade', services.version);
  if (phase === 'completed') {
    yield [{ isTrue: 'PostUpgrade' }];
    return { result: undefined };
  }
  if (phase === 'pending') {
    yield [upgradeStarted('PostUpgrade')];
    return { result: again };
  }
  await runPostUpgrade(context.client, sets, services.platform, context.log);
  return { result: again, annotations: { [postUpgradeVersion]: services.version } };
}
