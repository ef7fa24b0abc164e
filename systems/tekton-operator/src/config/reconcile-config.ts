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
import type { ConfigRun } from './config-run.ts';
import { configSources } from './config-sources.ts';

/** Something was written: the next look comes with what that brought. */
const again: Result = requeueAfter(100);

/** What came of a look at a TektonConfig. */
export interface ConfigOutcome {
  readonly result: Result | undefined;
  /** Merged into `status.annotations`. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Done after the status was written. */
  readonly afterwards?: () => Promise<unknown>;
}

/** Brings a TektonConfig one step further, in upstream's order, and says in its conditions where it is. */
export async function reconcileConfig(run: ConfigRun): Promise<ConfigOutcome> {
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

async function preUpgrade(run: ConfigRun): Promise<ConfigOutcome | undefined> {
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
  // When the spec was changed, this look is at what was before: the version is noted by the next one.
  return isChanged ? { result: again } : { result: again, annotations: { [preUpgradeVersion]: services.version } };
}

/** The label with the version that looks after it: a change of it is an upgrade, and everybody may know. */
function markVersion({ config, conditions, services, context }: ConfigRun): ConfigOutcome | undefined {
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

async function preInstall(run: ConfigRun): Promise<Result | undefined> {
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
async function ensureComponents(run: ConfigRun): Promise<Result | undefined> {
  const { conditions, spec, choices } = run;
  const notReady = (message: string) => {
    conditions.markFalse('ComponentsReady', `Components not in ready state: ${message}`);
    return lookLater;
  };
  const shortfall = await run.ensure(pipelineObject);
  if (shortfall !== undefined) return notReady(`TektonPipeline: ${shortfall}`);
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
    const found = missing ?? (await lookAfter(run, choice));
    if (found !== undefined) return notReady(`${componentObjects[choice].kind.kind}: ${found}`);
  }
  return undefined;
}

/** One component, as it was chosen. */
async function lookAfter(run: ConfigRun, choice: keyof ComponentChoices): Promise<string | undefined> {
  const component: ConfiguredComponent & { readonly choice: keyof ComponentChoices } = {
    ...componentObjects[choice],
    choice,
  };
  if (run.choices[choice] === 'wanted') return run.ensure(component);
  return run.choices[choice] === 'unwanted' ? run.remove(component) : undefined;
}

async function missingForScheduler({ context }: ConfigRun): Promise<string | undefined> {
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
async function ensurePruner(run: ConfigRun): Promise<Result | undefined> {
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

/** What comes last: the dashboard or the addons, Pipelines as Code, and what the platform adds. */
async function postInstall(run: ConfigRun): Promise<Result | undefined> {
  const { conditions, services, context } = run;
  for (const choice of ['dashboard', 'addon', 'pipelinesAsCode'] as const) {
    const shortfall = await lookAfter(run, choice);
    if (shortfall === undefined) continue;
    const message = `${componentObjects[choice].kind.kind}: ${shortfall}`;
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

async function postUpgrade(run: ConfigRun): Promise<ConfigOutcome> {
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
