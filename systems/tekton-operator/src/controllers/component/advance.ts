import type { Result } from '@tektite/controller';
import type { ConditionMark } from '../../component/component-conditions.ts';
import type { ComponentDescription, PlannedSets } from '../../component/component-description.ts';
import type { ComponentObject } from '../../component/component-object.ts';
import type { ObservedComponent } from '../../component/observed-component.ts';
import { payloadVersion } from '../../component/release-of.ts';
import type { Steps } from '../../component/steps.ts';
import { ensureTargetNamespace } from '../../component/target-namespace.ts';
import { requeueLater } from '../../extension/progress.ts';
import { Rollback } from '../../upgrade/rollback.ts';
import { deleteObsoleteSets, ensureNetworkPolicies, ensureSets, extensionContext, prepare } from './act.ts';
import { breakDeadlock } from './deadlock-breaker.ts';
import {
  decideDependency,
  decideName,
  decideReadiness,
  installedMarks,
  phaseFailure,
  reportsAvailability,
  setsNotReady,
  unreadiness,
} from './decide.ts';
import {
  type CachedDependencies,
  observeDependencies,
  observeRelease,
  observeSets,
  type UsableRelease,
} from './observe.ts';

/** The result of a reconcile of a component, besides its conditions. */
export interface ComponentOutcome {
  readonly result: Result | undefined;
  readonly version?: string;
  /** The annotations of its status. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Advances a component in upstream's order: name, release, namespace, dependencies, the platform's part, installer sets, network
 * policies, the platform's part again. It stops at the first step that has to wait, and the conditions report which.
 */
export async function* advanceComponent<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
  dependencies: CachedDependencies,
): Steps<ComponentOutcome> {
  const { component, context, namespace } = observed;
  const named = decideName(description, component.metadata.name ?? '');
  yield named.marks;
  if (!named.goesOn) return { result: undefined };
  const found = await observeRelease(description, observed);
  if ('problem' in found) {
    yield [setsNotReady(description, found.problem)];
    return { result: requeueLater };
  }
  const later: ComponentOutcome = { result: requeueLater, version: found.version };
  const { createsNamespace } = description;
  if (createsNamespace && (await ensureTargetNamespace(context.client, component, namespace)) === 'later') return later;
  const facts = await observeDependencies(description, observed, dependencies);
  const depended = decideDependency(description, namespace, facts);
  yield depended.marks;
  return depended.goesOn ? yield* install(description, observed, found) : later;
}

async function* install<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
  found: UsableRelease,
): Steps<ComponentOutcome> {
  const { context, services, namespace, kind } = observed;
  await deleteObsoleteSets(description, observed);
  try {
    if ((await prepare(description, observed)) === 'later') return { result: requeueLater, version: found.version };
  } catch (error) {
    context.signal.throwIfAborted();
    yield [phaseFailure(description, 'Pre', error as Error)];
    return { result: requeueLater, version: found.version };
  }
  yield [{ isTrue: 'PreReconciler' }];
  if (description.deadlock) await breakDeadlock(context.client, namespace, description.deadlock);
  const rollback = observed.rollsBack ? new Rollback(observed) : undefined;
  const planned = await observeSets(description, observed, found);
  const { isReady, release, marks } = await installSets(description, observed, planned, rollback);
  yield marks;
  const later: ComponentOutcome = {
    result: requeueLater,
    version: release === undefined ? found.version : payloadVersion(release),
    ...(rollback ? { annotations: rollback.status } : {}),
  };
  if (!isReady) return later;
  const policies = await ensureNetworkPolicies(description, observed);
  if (policies.state === 'notReady') {
    const message = `Installer set not ready: NetworkPolicy reconciliation failed: ${policies.message}`;
    yield [{ isFalse: 'InstallerSetReady', message }];
  }
  if (policies.state !== 'ready') return later;
  try {
    const extension = services.extension.components?.[kind];
    if ((await extension?.postReconcile?.(extensionContext(observed))) === 'later') return later;
  } catch (error) {
    context.signal.throwIfAborted();
    yield [phaseFailure(description, 'Post', error as Error)];
    return later;
  }
  yield installedMarks(description);
  return { ...later, result: undefined };
}

/** The readiness of the sets, and their release where it is another than the desired one. */
interface InstalledSets {
  readonly isReady: boolean;
  readonly release?: string;
  readonly marks: readonly ConditionMark[];
}

/** Ensures the sets, or those that worked before where the upgrade to the desired ones failed. */
async function installSets<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
  desired: readonly PlannedSets[] | { readonly problem: string },
  rollback: Rollback<T> | undefined,
): Promise<InstalledSets> {
  const notReady = (message: string): InstalledSets => ({
    isReady: false,
    marks: [setsNotReady(description, message)],
  });
  if ('problem' in desired) return notReady(desired.problem);
  const { planned, failed } = (await rollback?.choose(desired)) ?? { planned: desired };
  if (!failed) await rollback?.keep(planned);
  const ensured = await ensureSets(observed, planned);
  if (failed) {
    const release = planned.find((item) => item.wanted.payload)?.wanted.payload ?? '';
    const words = `the upgrade to ${failed.release} failed (${failed.why}); rolled back to ${release}`;
    return { ...notReady(ensured.failure ? `${words}: ${ensured.failure}` : words), release };
  }
  const lacks = unreadiness(ensured);
  const isFailedUpgrade = rollback?.judge(planned, lacks) ?? false;
  const { goesOn, marks } = decideReadiness(description, ensured, reportsAvailability(description, observed.component));
  if (!isFailedUpgrade) return { isReady: goesOn, marks };
  const failure = notReady(`the upgrade failed: ${lacks ?? ''}`);
  return { ...failure, marks: [...marks, ...failure.marks] };
}
