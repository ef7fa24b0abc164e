import type { Result } from '@tektite/controller';
import { Manifest } from '@tektite/manifest';
import type { ExtensionContext } from '../extension/extension.ts';
import type { SetsState } from '../installer-set/installer-sets.ts';
import { isManifestProblem } from '../payload/manifest-problem.ts';
import { Rollback } from '../upgrade/rollback.ts';
import type { ComponentConditions } from './component-conditions.ts';
import type { ComponentObject, PlannedSets } from './component-description.ts';
import type { ComponentReconcile } from './component-reconcile.ts';
import { breakDeadlock } from './deadlock-breaker.ts';
import { decideDependencies } from './dependencies.ts';
import { hasApi } from './has-api.ts';
import { mainParts } from './main-sets.ts';
import { networkPolicySet } from './network-policy-set.ts';
import { lookLater } from './progress.ts';
import { componentVersion, loadRelease } from './release-of.ts';
import { ensureTargetNamespace } from './target-namespace.ts';

/** The outcome of a reconcile of a component. */
export interface ComponentOutcome {
  readonly result: Result | undefined;
  readonly version?: string;
  /** Of its status. */
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Dependencies {
  readonly pipeline: ComponentObject | undefined;
  readonly trigger: ComponentObject | undefined;
}

/** Brings a component one step further, and says in its conditions where it is. */
export async function reconcileComponent<T extends ComponentObject>(
  run: ComponentReconcile<T>,
  conditions: ComponentConditions,
  dependencies: Dependencies,
): Promise<ComponentOutcome> {
  const { description, component, context } = run;
  const got = component.metadata.name ?? '';
  if (got !== description.name) {
    const words =
      description.ignored ?? ((expected, name) => `Resource ignored, Expected Name: ${expected}, Got Name: ${name}`);
    conditions.markNotReady(words(description.name, got));
    return { result: undefined };
  }
  let release: Manifest;
  try {
    release = await loadRelease(run);
  } catch (error) {
    if (!isManifestProblem(error)) throw error;
    conditions.markFalse('InstallerSetReady', `Installer set not ready: ${description.mainFailed}: ${error.message}`);
    return { result: lookLater };
  }
  const version = componentVersion(run, release);
  if (description.makesNamespace && (await ensureTargetNamespace(context.client, component, run.namespace)) === 'later')
    return { result: lookLater, version };
  if (!(await checkDependencies(run, conditions, dependencies))) return { result: lookLater, version };
  return installComponent(run, conditions, release, version);
}

async function checkDependencies<T extends ComponentObject>(
  run: ComponentReconcile<T>,
  conditions: ComponentConditions,
  dependencies: Dependencies,
): Promise<boolean> {
  const rule = run.description.dependency;
  if (!rule) {
    if (run.description.conditions.includes('DependenciesInstalled')) conditions.markTrue('DependenciesInstalled');
    return true;
  }
  const missingApis = await missingOf(run, rule.apis ?? []);
  const found = decideDependencies(rule, run.namespace, { ...dependencies, missingApis });
  if (found.state === 'installed') {
    conditions.markTrue('DependenciesInstalled');
    return true;
  }
  const words = found.state === 'installing' ? rule.installing : rule.missing;
  conditions.markFalse('DependenciesInstalled', `${words}: ${found.message}`);
  return false;
}

async function missingOf(
  { context }: { readonly context: ComponentReconcile<ComponentObject>['context'] },
  apis: readonly string[],
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const api of apis) if (!(await hasApi(context.client, api))) missing.push(api);
  return missing;
}

async function installComponent<T extends ComponentObject>(
  run: ComponentReconcile<T>,
  conditions: ComponentConditions,
  release: Manifest,
  version: string,
): Promise<ComponentOutcome> {
  const { description, context, services } = run;
  const later: ComponentOutcome = { result: lookLater, version };
  const { client } = context;
  const prefixed = (words: string, message: string) =>
    description.rawMessages ? message : `${words} with message: ${message}`;
  const obsolete = description.obsoleteTypes ?? [];
  if (obsolete.length > 0) await run.sets.remove(run.kind, ...obsolete);
  await run.sets.deleteAll(run.sets.of(run.kind).filter((set) => description.isStale?.(set, run) ?? false));
  const extension = services.extension.components?.[run.kind];
  const around = extensionContext(run);
  try {
    if ((await extension?.preReconcile?.(around)) === 'later') return later;
    const missing = await description.prepare?.(run, client);
    if (missing !== undefined) throw new Error(missing);
  } catch (error) {
    context.signal.throwIfAborted();
    const text = prefixed('PreReconciliation failed', `PreReconciliation failed: ${(error as Error).message}`);
    conditions.markFalse('PreReconciler', text);
    return later;
  }
  conditions.markTrue('PreReconciler');
  if (description.deadlock) await breakDeadlock(client, run.namespace, description.deadlock);
  const rollback = run.rollsBack ? new Rollback(run) : undefined;
  const installed = await ensureSets(run, conditions, await plannedSets(run, release, version), rollback);
  const reached: ComponentOutcome = {
    result: lookLater,
    version: installed.release ?? version,
    ...(rollback ? { annotations: rollback.status } : {}),
  };
  if (!installed.isReady) return reached;
  if (description.networkPolicies && !(await ensureNetworkPolicies(run, conditions))) return reached;
  try {
    if ((await extension?.postReconcile?.(around)) === 'later') return reached;
  } catch (error) {
    context.signal.throwIfAborted();
    const text = prefixed('PostReconciliation failed', `PostReconciliation failed: ${(error as Error).message}`);
    conditions.markFalse('PostReconciler', text);
    return reached;
  }
  if (description.conditions.includes('AdditionalPACControllerInstalled'))
    conditions.markTrue('AdditionalPACControllerInstalled');
  conditions.markTrue('PostReconciler');
  return { ...reached, result: undefined };
}

async function plannedSets<T extends ComponentObject>(
  run: ComponentReconcile<T>,
  release: Manifest,
  version: string,
): Promise<readonly PlannedSets[] | Error> {
  const { description } = run;
  try {
    const kept = description.keep ? release.filter((object) => description.keep?.(object, run) ?? true) : release;
    const manifest = run.transform(kept);
    return (
      (await description.sets?.(run, manifest, version)) ?? [
        { wanted: { ...run.wanted('main', version), parts: mainParts(run.prefix, manifest) } },
      ]
    );
  } catch (error) {
    if (!isManifestProblem(error)) throw error;
    return error;
  }
}

/** How far the sets are, and which release they are of, when it is not the one that was wanted. */
interface Installed {
  readonly isReady: boolean;
  readonly release?: string;
}

async function ensureSets<T extends ComponentObject>(
  run: ComponentReconcile<T>,
  conditions: ComponentConditions,
  wanted: readonly PlannedSets[] | Error,
  rollback: Rollback<T> | undefined,
): Promise<Installed> {
  const notReady = (message: string): Installed => {
    conditions.markFalse('InstallerSetReady', `Installer set not ready: ${run.description.mainFailed}: ${message}`);
    return { isReady: false };
  };
  if (wanted instanceof Error) return notReady(wanted.message);
  const { planned, failed } = (await rollback?.choose(wanted)) ?? { planned: wanted };
  if (!failed) await rollback?.keep(planned);
  const { replacing, notReadyReason, isWaiting } = await ensureAll(run, conditions, planned);
  if (failed) {
    const release = planned.find((item) => item.wanted.payload)?.wanted.payload ?? '';
    const words = `the upgrade to ${failed.release} failed (${failed.why}); rolled back to ${release}`;
    return { ...notReady(notReadyReason ? `${words}: ${notReadyReason}` : words), release };
  }
  if (replacing) markReplacing(run, conditions, replacing);
  const lacks = notReadyReason ?? (replacing || isWaiting ? 'it was not ready in time' : undefined);
  if (rollback?.judge(planned, lacks)) return notReady(`the upgrade failed: ${lacks ?? ''}`);
  if (notReadyReason !== undefined) return notReady(notReadyReason);
  if (replacing || isWaiting) return { isReady: false };
  if (conditions.statusOf('InstallerSetAvailable') !== undefined) conditions.markTrue('InstallerSetAvailable');
  conditions.markTrue('InstallerSetReady');
  return { isReady: true };
}

/** All are made before any is waited for: Pods of one may need a Secret of another. */
async function ensureAll<T extends ComponentObject>(
  run: ComponentReconcile<T>,
  conditions: ComponentConditions,
  planned: readonly PlannedSets[],
): Promise<{ readonly replacing?: string; readonly notReadyReason?: string; readonly isWaiting: boolean }> {
  let isWaiting = false;
  let notReadyReason: string | undefined;
  for (const { wanted, missing, decides = true } of planned) {
    const state = await run.sets.ensure(wanted);
    if (state.state === 'waiting' && state.replacing) return { replacing: state.replacing, isWaiting: true };
    if (state.state === 'waiting' && missing && run.sets.of(wanted.createdBy, wanted.type).length === 0)
      conditions.markFalse('InstallerSetAvailable', `Installer set not ready: ${missing}`);
    if (state.state === 'waiting') isWaiting = true;
    if (state.state === 'notReady' && decides) notReadyReason ??= state.message;
  }
  return { isWaiting, ...(notReadyReason === undefined ? {} : { notReadyReason }) };
}

function markReplacing<T extends ComponentObject>(
  { description }: ComponentReconcile<T>,
  conditions: ComponentConditions,
  why: string,
): void {
  conditions.markFalse('InstallerSetReady', `Installer set not ready: ${why}`);
  conditions.markFalse(
    'PostReconciler',
    description.rawMessages ? why : `PostReconciliation failed with message: ${why}`,
  );
  conditions.markNotReady(why);
}

async function ensureNetworkPolicies<T extends ComponentObject>(
  run: ComponentReconcile<T>,
  conditions: ComponentConditions,
): Promise<boolean> {
  const { networkPolicies } = run.description;
  if (!networkPolicies) return true;
  const type = `custom-${networkPolicies.setName}`;
  if (run.spec.networkPolicy?.disabled) {
    await run.sets.remove(run.kind, type);
    return true;
  }
  const state: SetsState = await run.sets.ensure(networkPolicySet(run, networkPolicies, type));
  if (state.state === 'ready') return true;
  if (state.state === 'notReady')
    conditions.markFalse(
      'InstallerSetReady',
      `Installer set not ready: NetworkPolicy reconciliation failed: ${state.message}`,
    );
  return false;
}

/** The context of a platform extension. */
export function extensionContext<T extends ComponentObject>(run: ComponentReconcile<T>): ExtensionContext {
  const { component, context, services, sets, namespace } = run;
  return {
    client: context.client,
    component,
    namespace,
    services,
    context,
    sets,
    ensureSet: (type, manifest) =>
      sets.ensure({
        ...run.wanted(type),
        parts: [{ generateName: `${run.prefix}-${type}-`, objects: manifest.objects }],
      }),
    removeSet: async (type) => void (await sets.remove(run.kind, type)),
  };
}
