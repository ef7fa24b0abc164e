import { findCondition } from '@tektite/meta';
import type { ConditionMark } from '../../component/component-conditions.ts';
import type { ComponentDescription } from '../../component/component-description.ts';
import type { ComponentObject } from '../../component/component-object.ts';
import { decideDependencies, type DependencyFacts } from '../../component/dependencies.ts';

/** Conditions to set, and whether the component goes on. */
export interface Decision {
  readonly goesOn: boolean;
  readonly marks: readonly ConditionMark[];
}

type Describes<T extends ComponentObject> = ComponentDescription<T>;

/** Ignores a component of another name than the one that the operator manages. */
export function decideName<T extends ComponentObject>(
  { name, ignored }: Pick<Describes<T>, 'name' | 'ignored'>,
  found: string,
): Decision {
  if (found === name) return { goesOn: true, marks: [] };
  const words = ignored?.(name, found) ?? `Resource ignored, Expected Name: ${name}, Got Name: ${found}`;
  return { goesOn: false, marks: [{ notReady: words }] };
}

/** Waits for the components and APIs that this one depends on. */
export function decideDependency<T extends ComponentObject>(
  { dependency: rule, conditions }: Pick<Describes<T>, 'dependency' | 'conditions'>,
  namespace: string,
  facts: DependencyFacts,
): Decision {
  const installed = { isTrue: 'DependenciesInstalled' };
  if (!rule) return { goesOn: true, marks: conditions.includes('DependenciesInstalled') ? [installed] : [] };
  const found = decideDependencies(rule, namespace, facts);
  if (found.state === 'installed') return { goesOn: true, marks: [installed] };
  const words = found.state === 'installing' ? rule.installing : rule.missing;
  return { goesOn: false, marks: [{ isFalse: 'DependenciesInstalled', message: `${words}: ${found.message}` }] };
}

/** The condition of a failed phase before or after the installer sets. */
export function phaseFailure<T extends ComponentObject>(
  { rawMessages }: Pick<Describes<T>, 'rawMessages'>,
  phase: 'Pre' | 'Post',
  error: Error,
): ConditionMark {
  const words = `${phase}Reconciliation failed`;
  const message = `${words}: ${error.message}`;
  return { isFalse: `${phase}Reconciler`, message: rawMessages ? message : `${words} with message: ${message}` };
}

/** The condition of installer sets that are not ready. */
export function setsNotReady<T extends ComponentObject>(
  { mainFailed }: Pick<Describes<T>, 'mainFailed'>,
  message: string,
): ConditionMark {
  return { isFalse: 'InstallerSetReady', message: `Installer set not ready: ${mainFailed}: ${message}` };
}

/** The state of all installer sets of a component after they were ensured. */
export interface EnsuredSets {
  /** The reason why sets are being replaced. */
  readonly replacing?: string;
  /** The message of the first set that is not ready. */
  readonly failure?: string;
  readonly isWaiting: boolean;
  /** The message of sets that do not exist yet, for components that report it. */
  readonly missing?: string;
}

/** The reason why the sets are not ready, for the timeout of an upgrade. */
export function unreadiness({ failure, replacing, isWaiting }: EnsuredSets): string | undefined {
  return failure ?? (replacing || isWaiting ? 'it was not ready in time' : undefined);
}

const available = 'InstallerSetAvailable';

/** Whether a component reports that its sets exist: by its description, or by a condition that an earlier operator wrote. */
export function reportsAvailability<T extends ComponentObject>(
  { conditions }: Pick<Describes<T>, 'conditions'>,
  { status }: Pick<ComponentObject, 'status'>,
): boolean {
  return conditions.includes(available) || findCondition(status?.conditions, available) !== undefined;
}

/** The conditions of a component of which everything is installed. */
export function installedMarks<T extends ComponentObject>({
  conditions,
}: Pick<Describes<T>, 'conditions'>): readonly ConditionMark[] {
  const additional = 'AdditionalPACControllerInstalled';
  return [...(conditions.includes(additional) ? [{ isTrue: additional }] : []), { isTrue: 'PostReconciler' }];
}

/** Reports the state of the installer sets. */
export function decideReadiness<T extends ComponentObject>(
  description: Pick<Describes<T>, 'mainFailed' | 'rawMessages'>,
  { replacing, failure, isWaiting, missing }: EnsuredSets,
  reportsAvailability: boolean,
): Decision {
  const unavailable: readonly ConditionMark[] =
    missing === undefined ? [] : [{ isFalse: available, message: `Installer set not ready: ${missing}` }];
  const replaced = replacing === undefined ? [] : replacingMarks(description, replacing);
  if (failure !== undefined)
    return { goesOn: false, marks: [...unavailable, ...replaced, setsNotReady(description, failure)] };
  if (replacing !== undefined || isWaiting) return { goesOn: false, marks: [...unavailable, ...replaced] };
  return {
    goesOn: true,
    marks: [...(reportsAvailability ? [{ isTrue: available }] : []), { isTrue: 'InstallerSetReady' }],
  };
}

function replacingMarks<T extends ComponentObject>(
  { rawMessages }: Pick<Describes<T>, 'rawMessages'>,
  why: string,
): readonly ConditionMark[] {
  return [
    { isFalse: 'InstallerSetReady', message: `Installer set not ready: ${why}` },
    {
      isFalse: 'PostReconciler',
      message: rawMessages ? why : `PostReconciliation failed with message: ${why}`,
    },
    { notReady: why },
  ];
}
