import { requeueAfter, type Result } from '@tektite/controller';
import { mergePatch } from '@tektite/client';
import type { Namespace } from '@tektite/schema/kubernetes';
import { requeueLater } from '../../extension/progress.ts';
import { hasApi } from '../../component/has-api.ts';
import { ensureTargetNamespace } from '../../component/target-namespace.ts';
import { keys } from '../../installer-set/set-keys.ts';
import { TektonConfig } from '../../kinds/tekton-config.ts';
import { ensurePrunerSet, reconcilePruner } from '../../job-pruner/classic-pruner.ts';
import { runPostUpgrade } from '../../upgrade/post-upgrade.ts';
import { runPreUpgrade } from '../../upgrade/pre-upgrade.ts';
import type { ComponentChoices } from '../../profile/component-choice.ts';
import { componentObjects, pipelineObject } from '../../profile/component-objects.ts';
import { postUpgradeVersion, preUpgradeVersion } from './config-conditions.ts';
import type { ComponentConditions } from '../../component/component-conditions.ts';
import { ensureComponent, extensionContext, removeComponent } from './act.ts';
import { upgradePendingMarks } from './decide.ts';
import type { ChosenComponent, ObservedConfig } from './observe.ts';
import { configSources } from './config-sources.ts';

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

/** Brings a TektonConfig one step further, in upstream's order, and says in its conditions where it is. */
export async function reconcileConfig(
  observed: ObservedConfig,
  conditions: ComponentConditions,
): Promise<ConfigOutcome> {
  const name = observed.config.metadata.name ?? '';
  if (name !== 'config') {
    conditions.markNotReady(`Resource ignored, Expected Name: config, Got Name: ${name}`);
    return { result: undefined };
  }
  const upgrading = (await preUpgrade(observed, conditions)) ?? markVersion(observed, conditions);
  if (upgrading) return upgrading;
  const { client } = observed.context;
  const metadata = observed.spec.targetNamespaceMetadata ?? {};
  if ((await ensureTargetNamespace(client, observed.config, observed.namespace, metadata)) === 'later')
    return { result: requeueLater };
  const stopped =
    (await preInstall(observed, conditions)) ??
    (await ensureComponents(observed, conditions)) ??
    (await ensurePruner(observed, conditions));
  if (stopped) return { result: stopped };
  conditions.markTrue('ComponentsReady');
  const unfinished = await postInstall(observed, conditions);
  if (unfinished) return { result: unfinished };
  conditions.markTrue('PostInstall');
  return postUpgrade(observed, conditions);
}

async function preUpgrade(
  observed: ObservedConfig,
  conditions: ComponentConditions,
): Promise<ConfigOutcome | undefined> {
  const { config, services, context } = observed;
  if (config.status?.annotations?.[preUpgradeVersion] === services.version) {
    conditions.markTrue('PreUpgrade');
    return undefined;
  }
  if (conditions.statusOf('PreUpgrade') !== 'False') {
    conditions.clear();
    conditions.markFalse('PreUpgrade', 'Pre upgrade is in progress', 'Performing PreUpgrade');
    return { result: again };
  }
  const isChanged = await runPreUpgrade(context.client, config, services.platform);
  // After a change of the spec, this reconcile has the old one: the next one records the version.
  return isChanged ? { result: again } : { result: again, annotations: { [preUpgradeVersion]: services.version } };
}

/** The label with the version of the operator: a change of it is an upgrade. */
function markVersion(
  { config, services, context }: ObservedConfig,
  conditions: ComponentConditions,
): ConfigOutcome | undefined {
  const before = config.metadata.labels?.[keys.releaseVersion];
  if (before === services.version) return undefined;
  conditions.apply(upgradePendingMarks(before));
  const patch = mergePatch({ metadata: { labels: { [keys.releaseVersion]: services.version } } });
  return { result: again, afterwards: () => context.client.patch(TektonConfig, { name: 'config' }, patch) };
}

async function preInstall(observed: ObservedConfig, conditions: ComponentConditions): Promise<Result | undefined> {
  const { services, context } = observed;
  try {
    const progress = await services.extension.config?.preReconcile?.(extensionContext(observed));
    if (progress === 'later') return requeueLater;
  } catch (error) {
    context.signal.throwIfAborted();
    const { message } = error as Error;
    conditions.markFalse('PreInstall', `PreReconciliation failed with message: ${message}`);
    return requeueLater;
  }
  conditions.markTrue('PreInstall');
  return undefined;
}

/** Pipelines, and then the others, each when those before it are ready. */
async function ensureComponents(
  observed: ObservedConfig,
  conditions: ComponentConditions,
): Promise<Result | undefined> {
  const { spec, choices } = observed;
  const notReady = (message: string) => {
    conditions.markFalse('ComponentsReady', `Components not in ready state: ${message}`);
    return requeueLater;
  };
  const unready = await ensureComponent(observed, pipelineObject);
  if (unready !== undefined) return notReady(`TektonPipeline: ${unready}`);
  if (choices.eventPruner === 'wanted' && !spec.pruner?.disabled)
    return notReady(
      'Invalid Pruner Configuration!! Both pruners, tektonpruner(event based) and pruner(job based) cannot be enabled simultaneously. Please disable one of them.',
    );
  for (const choice of [
    'eventPruner',
    'multiclusterProxy',
    'scheduler',
    'trigger',
    'chain',
    'result',
    'syncerService',
  ] as const) {
    const missing =
      choice === 'scheduler' && choices.scheduler === 'wanted' ? await missingForScheduler(observed) : undefined;
    const found = missing ?? (await reconcileChoice(observed, choice));
    if (found !== undefined) return notReady(`${componentObjects[choice].kind.kind}: ${found}`);
  }
  return undefined;
}

/** One component, as it was chosen. */
async function reconcileChoice(observed: ObservedConfig, choice: keyof ComponentChoices): Promise<string | undefined> {
  const component: ChosenComponent = { ...componentObjects[choice], choice };
  if (observed.choices[choice] === 'wanted') return ensureComponent(observed, component);
  return observed.choices[choice] === 'unwanted' ? removeComponent(observed, component) : undefined;
}

async function missingForScheduler({ context }: ObservedConfig): Promise<string | undefined> {
  const needed = [
    ['cert-manager', 'cert-manager.io/v1'],
    ['kueue', 'kueue.x-k8s.io/v1beta1'],
  ] as const;
  for (const [name, api] of needed)
    if (!(await hasApi(context.client, api)))
      return `Please install ${name} (${api}) First, the scheduler cannot run without it`;
  return undefined;
}

/** The account of the pruning Jobs, and their CronJobs. */
async function ensurePruner(observed: ObservedConfig, conditions: ComponentConditions): Promise<Result | undefined> {
  const { services, context, spec, config, sets } = observed;
  const notReady = (message: string) => {
    conditions.markFalse('ComponentsReady', `Components not in ready state: tekton-resource-pruner: ${message}`);
    return requeueLater;
  };
  const state = await ensurePrunerSet(sets, spec, services);
  if (state.state === 'notReady') return notReady(state.message);
  if (state.state === 'waiting') return requeueLater;
  const namespaces = context.cache(configSources.namespaces).list() as unknown as readonly Namespace[];
  try {
    await reconcilePruner(context.client, config, spec, namespaces, services);
  } catch (error) {
    context.signal.throwIfAborted();
    return notReady((error as Error).message);
  }
  return undefined;
}

/** The last part: the dashboard or the addons, Pipelines as Code, and the additions of the platform. */
async function postInstall(observed: ObservedConfig, conditions: ComponentConditions): Promise<Result | undefined> {
  const { services, context } = observed;
  for (const choice of ['dashboard', 'addon', 'pipelinesAsCode'] as const) {
    const unready = await reconcileChoice(observed, choice);
    if (unready === undefined) continue;
    const message = `${componentObjects[choice].kind.kind}: ${unready}`;
    if (choice === 'pipelinesAsCode')
      conditions.markFalse('ComponentsReady', `Components not in ready state: ${message}`);
    else conditions.markFalse('PostInstall', `PostReconciliation failed with message: ${message}`);
    return requeueLater;
  }
  try {
    const progress = await services.extension.config?.postReconcile?.(extensionContext(observed));
    return progress === 'later' ? requeueLater : undefined;
  } catch (error) {
    context.signal.throwIfAborted();
    conditions.markFalse('PostInstall', `PostReconciliation failed with message: ${(error as Error).message}`);
    return requeueLater;
  }
}

async function postUpgrade(observed: ObservedConfig, conditions: ComponentConditions): Promise<ConfigOutcome> {
  const { config, services, context, sets } = observed;
  if (config.status?.annotations?.[postUpgradeVersion] === services.version) {
    conditions.markTrue('PostUpgrade');
    return { result: undefined };
  }
  if (conditions.statusOf('PostUpgrade') !== 'False') {
    conditions.markFalse('PostUpgrade', 'Post upgrade is in progress', 'Performing PostUpgrade');
    return { result: again };
  }
  await runPostUpgrade(context.client, sets, services.platform, context.log);
  return { result: again, annotations: { [postUpgradeVersion]: services.version } };
}
