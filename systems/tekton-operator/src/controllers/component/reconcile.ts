import type { Result } from '@tektite/controller';
import type { Manifest } from '@tektite/manifest';
import type { ComponentConditions } from '../../component/component-conditions.ts';
import type { ComponentDescription, PlannedSets } from '../../component/component-description.ts';
import type { ComponentObject } from '../../component/component-object.ts';
import type { ObservedComponent } from '../../component/observed-component.ts';
import { ensureTargetNamespace } from '../../component/target-namespace.ts';
import { requeueLater } from '../../extension/progress.ts';
import { Rollback } from '../../upgrade/rollback.ts';
import { deleteObsoleteSets, ensureNetworkPolicies, ensureSets, extensionContext, prepare } from './act.ts';
import { breakDeadlock } from './deadlock-breaker.ts';
import {
  type Decision,
  decideDependency,
  decideName,
  decideReadiness,
  phaseFailure,
  setsNotReady,
  unreadiness,
} from './decide.ts';
import { type CachedDependencies, observeDependencies, observeRelease, observeSets } from './observe.ts';

/** The result of a reconcile of a component, besides its conditions. */
export interface ComponentOutcome {
  readonly result: Result | undefined;
  readonly version?: string;
  /** The annotations of its status. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Reconciles a component in upstream's order: name, release, namespace, dependencies, the platform's part, installer sets, network
 * policies, the platform's part again. It stops at the first step that has to wait, and the conditions report which.
 */
export async function reconcileComponent<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
  conditions: ComponentConditions,
  dependencies: CachedDependencies,
): Promise<ComponentOutcome> {
  const { component, context, namespace } = observed;
  const passes = ({ goesOn, marks }: Decision) => {
    conditions.apply(marks);
    return goesOn;
  };
  if (!passes(decideName(description, component.metadata.name ?? ''))) return { result: undefined };
  const found = await observeRelease(description, observed);
  if ('problem' in found) {
    conditions.apply([setsNotReady(description, found.problem)]);
    return { result: requeueLater };
  }
  const later: ComponentOutcome = { result: requeueLater, version: found.version };
  const { createsNamespace } = description;
  if (createsNamespace && (await ensureTargetNamespace(context.client, component, namespace)) === 'later') return later;
  const facts = await observeDependencies(description, observed, dependencies);
  if (!passes(decideDependency(description, namespace, facts))) return later;
  return install(description, observed, conditions, found);
}

async function install<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
  conditions: ComponentConditions,
  found: { readonly release: Manifest; readonly version: string },
): Promise<ComponentOutcome> {
  const { context, services, namespace, kind } = observed;
  await deleteObsoleteSets(description, observed);
  try {
    if ((await prepare(description, observed)) === 'later') return { result: requeueLater, version: found.version };
  } catch (error) {
    context.signal.throwIfAborted();
    conditions.apply([phaseFailure(description, 'Pre', error as Error)]);
    return { result: requeueLater, version: found.version };
  }
  conditions.apply([{ isTrue: 'PreReconciler' }]);
  if (description.deadlock) await breakDeadlock(context.client, namespace, description.deadlock);
  const rollback = observed.rollsBack ? new Rollback(observed) : undefined;
  const planned = await observeSets(description, observed, found);
  const { isReady, release } = await installSets(description, observed, conditions, planned, rollback);
  const later: ComponentOutcome = {
    result: requeueLater,
    version: release ?? found.version,
    ...(rollback ? { annotations: rollback.status } : {}),
  };
  if (!isReady) return later;
  const policies = await ensureNetworkPolicies(description, observed);
  if (policies.state === 'notReady') {
    const message = `Installer set not ready: NetworkPolicy reconciliation failed: ${policies.message}`;
    conditions.apply([{ isFalse: 'InstallerSetReady', message }]);
  }
  if (policies.state !== 'ready') return later;
  try {
    const extension = services.extension.components?.[kind];
    if ((await extension?.postReconcile?.(extensionContext(observed))) === 'later') return later;
  } catch (error) {
    context.signal.throwIfAborted();
    conditions.apply([phaseFailure(description, 'Post', error as Error)]);
    return later;
  }
  const additional = 'AdditionalPACControllerInstalled';
  if (description.conditions.includes(additional)) conditions.apply([{ isTrue: additional }]);
  conditions.apply([{ isTrue: 'PostReconciler' }]);
  return { ...later, result: undefined };
}

/** The readiness of the sets, and their release where it is another than the desired one. */
interface InstalledSets {
  readonly isReady: boolean;
  readonly release?: string;
}

/** Ensures the sets, or those that worked before where the upgrade to the desired ones failed. */
async function installSets<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
  conditions: ComponentConditions,
  desired: readonly PlannedSets[] | { readonly problem: string },
  rollback: Rollback<T> | undefined,
): Promise<InstalledSets> {
  const notReady = (message: string): InstalledSets => {
    conditions.apply([setsNotReady(description, message)]);
    return { isReady: false };
  };
  if ('problem' in desired) return notReady(desired.problem);
  const { planned, failed } = (await rollback?.choose(desired)) ?? { planned: desired };
  if (!failed) await rollback?.keep(planned);
  const ensured = await ensureSets(observed, planned);
  if (failed) {
    const release = planned.find((item) => item.wanted.payload)?.wanted.payload ?? '';
    const words = `the upgrade to ${failed.release} failed (${failed.why}); rolled back to ${release}`;
    return { ...notReady(ensured.failure ? `${words}: ${ensured.failure}` : words), release };
  }
  const reportsAvailability = conditions.statusOf('InstallerSetAvailable') !== undefined;
  const lacks = unreadiness(ensured);
  const isFailedUpgrade = rollback?.judge(planned, lacks) ?? false;
  const { goesOn, marks } = decideReadiness(description, ensured, reportsAvailability);
  conditions.apply(marks);
  return isFailedUpgrade ? notReady(`the upgrade failed: ${lacks ?? ''}`) : { isReady: goesOn };
}
