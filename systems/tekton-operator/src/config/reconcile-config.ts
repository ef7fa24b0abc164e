import { requeueAfter, type Result } from '@tektite/controller';
import { mergePatch } from '@tektite/client';
import type { Namespace } from '@tektite/schema/kubernetes';
import { lookLater } from '../component/progress.ts';
import { hasApi } from '../component/has-api.ts';
import { ensureTargetNamespace } from '../component/target-namespace.ts';
import { keys } from '../installer-set/set-keys.ts';
import { TektonConfig } from '../kinds/tekton-config.ts';
import { ensurePrunerSet, reconcilePruner } from '../pruner/classic-pruner.ts';
import { runPostUpgrade } from '../upgrade/post-upgrade.ts';
import { runPreUpgrade } from '../upgrade/pre-upgrade.ts';
import type { ComponentChoices } from './component-choice.ts';
import { componentObjects, type ConfiguredComponent, pipelineObject } from './component-objects.ts';
import { postUpgradeVersion, preUpgradeVersion } from './config-conditions.ts';
import type { ConfigReconcile } from './config-reconcile.ts';
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
export async function reconcileConfig(run: ConfigReconcile): Promise<ConfigOutcome> {
  const name = run.config.metadata.name ?? '';
  if (name !== 'config') {
    run.conditions.markNotReady(`Resource ignored, Expected Name: config, Got Name: ${name}`);
    return { result: undefined };
  }
  const upgrading = (await preUpgrade(run)) ?? markVersion(run);
  if (upgrading) return upgrading;
  const { client } = run.context;
  const metadata = run.spec.targetNamespaceMetadata ?? {};
  if ((await ensureTargetNamespace(client, run.config, run.namespace, metadata)) === 'later')
    return { result: lookLater };
  const stopped = (await preInstall(run)) ?? (await ensureComponents(run)) ?? (await ensurePruner(run));
  if (stopped) return { result: stopped };
  run.conditions.markTrue('ComponentsReady');
  const unfinished = await postInstall(run);
  if (unfinished) return { result: unfinished };
  run.conditions.markTrue('PostInstall');
  return postUpgrade(run);
}

async function preUpgrade(run: ConfigReconcile): Promise<ConfigOutcome | undefined> {
  const { config, conditions, services, context } = run;
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
function markVersion({ config, conditions, services, context }: ConfigReconcile): ConfigOutcome | undefined {
  const before = config.metadata.labels?.[keys.releaseVersion];
  if (before === services.version) return undefined;
  if (before !== undefined) {
    conditions.markFalse('ComponentsReady', 'Components not in ready state: Upgrade Pending');
    conditions.markFalse('PreInstall', 'PreReconciliation failed with message: upgrade pending');
    conditions.markFalse('PostInstall', 'PostReconciliation failed with message: upgrade pending');
    conditions.markNotReady('Upgrade Pending');
  }
  const patch = mergePatch({ metadata: { labels: { [keys.releaseVersion]: services.version } } });
  return { result: again, afterwards: () => context.client.patch(TektonConfig, { name: 'config' }, patch) };
}

async function preInstall(run: ConfigReconcile): Promise<Result | undefined> {
  const { conditions, services, context } = run;
  try {
    const progress = await services.extension.config?.preReconcile?.(run.extensionContext());
    if (progress === 'later') return lookLater;
  } catch (error) {
    context.signal.throwIfAborted();
    const { message } = error as Error;
    conditions.markFalse('PreInstall', `PreReconciliation failed with message: ${message}`);
    return lookLater;
  }
  conditions.markTrue('PreInstall');
  return undefined;
}

/** Pipelines, and then the others, each when those before it are ready. */
async function ensureComponents(run: ConfigReconcile): Promise<Result | undefined> {
  const { conditions, spec, choices } = run;
  const notReady = (message: string) => {
    conditions.markFalse('ComponentsReady', `Components not in ready state: ${message}`);
    return lookLater;
  };
  const notReadyReason = await run.ensure(pipelineObject);
  if (notReadyReason !== undefined) return notReady(`TektonPipeline: ${notReadyReason}`);
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
      choice === 'scheduler' && choices.scheduler === 'wanted' ? await missingForScheduler(run) : undefined;
    const found = missing ?? (await ensureOrRemove(run, choice));
    if (found !== undefined) return notReady(`${componentObjects[choice].kind.kind}: ${found}`);
  }
  return undefined;
}

/** One component, as it was chosen. */
async function ensureOrRemove(run: ConfigReconcile, choice: keyof ComponentChoices): Promise<string | undefined> {
  const component: ConfiguredComponent & { readonly choice: keyof ComponentChoices } = {
    ...componentObjects[choice],
    choice,
  };
  if (run.choices[choice] === 'wanted') return run.ensure(component);
  return run.choices[choice] === 'unwanted' ? run.remove(component) : undefined;
}

async function missingForScheduler({ context }: ConfigReconcile): Promise<string | undefined> {
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
async function ensurePruner(run: ConfigReconcile): Promise<Result | undefined> {
  const { conditions, services, context, spec, config, sets } = run;
  const notReady = (message: string) => {
    conditions.markFalse('ComponentsReady', `Components not in ready state: tekton-resource-pruner: ${message}`);
    return lookLater;
  };
  const state = await ensurePrunerSet(sets, spec, services);
  if (state.state === 'notReady') return notReady(state.message);
  if (state.state === 'waiting') return lookLater;
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
async function postInstall(run: ConfigReconcile): Promise<Result | undefined> {
  const { conditions, services, context } = run;
  for (const choice of ['dashboard', 'addon', 'pipelinesAsCode'] as const) {
    const notReadyReason = await ensureOrRemove(run, choice);
    if (notReadyReason === undefined) continue;
    const message = `${componentObjects[choice].kind.kind}: ${notReadyReason}`;
    if (choice === 'pipelinesAsCode')
      conditions.markFalse('ComponentsReady', `Components not in ready state: ${message}`);
    else conditions.markFalse('PostInstall', `PostReconciliation failed with message: ${message}`);
    return lookLater;
  }
  try {
    const progress = await services.extension.config?.postReconcile?.(run.extensionContext());
    return progress === 'later' ? lookLater : undefined;
  } catch (error) {
    context.signal.throwIfAborted();
    conditions.markFalse('PostInstall', `PostReconciliation failed with message: ${(error as Error).message}`);
    return lookLater;
  }
}

async function postUpgrade(run: ConfigReconcile): Promise<ConfigOutcome> {
  const { config, conditions, services, context, sets } = run;
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
