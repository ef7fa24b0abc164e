import { equalJson, findCondition, type KubeObject } from '@tektite/meta';
import { printAsGo } from '@tektite/schema';
import type { ConditionMark } from '../../component/component-conditions.ts';
import type { ComponentObject } from '../../component/component-object.ts';
import { isUpgradePending } from '../../component/dependencies.ts';
import { keys } from '../../installer-set/set-keys.ts';
import { allKinds } from '../../kinds/all-kinds.ts';
import type { TektonConfig } from '../../kinds/tekton-config.ts';
import { postUpgradeVersion, preUpgradeVersion } from './config-conditions.ts';
import type { ObservedConfig } from './observe.ts';

/** A component as the TektonConfig describes it. */
export type DesiredComponent = KubeObject & { readonly spec: Readonly<Record<string, unknown>> };

/** The write that a component needs, or why it is not ready; nothing for a component that is as desired and ready. */
export type ComponentDecision =
  | { readonly create: DesiredComponent }
  | { readonly update: KubeObject }
  | { readonly unready: string }
  | undefined;

/** Upstream's message for everything that takes another reconcile. */
export const reconcileAgain = 'reconcile again and proceed';
const annotationKeys = [keys.platformDataHash, keys.strategy, keys.rollback, keys.pinnedVersion];

/** Decides how a component becomes as desired. Fields in `unmanaged` keep the value that they have in the cluster. */
export function decideComponent(
  live: ComponentObject | undefined,
  desired: DesiredComponent,
  unmanaged: readonly string[] = [],
): ComponentDecision {
  if (!live) return { create: desired };
  if (live.metadata.deletionTimestamp) return { unready: 'it is being deleted' };
  const update = changed(live, desired, unmanaged);
  if (update) return { update };
  const unready = unreadiness(live);
  return unready === undefined ? undefined : { unready };
}

function unreadiness(live: ComponentObject): string | undefined {
  if (isUpgradePending(live)) return 'dependency upgrade pending';
  const ready = findCondition(live.status?.conditions, 'Ready');
  // A condition of an earlier generation does not count.
  const isSeen = (live.status?.observedGeneration ?? live.metadata.generation ?? 0) >= (live.metadata.generation ?? 0);
  if (ready?.status === 'True') return isSeen ? undefined : reconcileAgain;
  return ready?.message || reconcileAgain;
}

/** The component with the desired spec and metadata; undefined when it is up to date. */
function changed(
  live: ComponentObject,
  desired: DesiredComponent,
  unmanaged: readonly string[],
): KubeObject | undefined {
  const schema = allKinds.find(({ kind }) => kind === live.kind)?.fields?.spec;
  const before = printAsGo((live.spec ?? {}) as Record<string, unknown>, schema);
  const kept = Object.fromEntries(Object.entries(before).filter(([name]) => unmanaged.includes(name)));
  const spec = { ...printAsGo(desired.spec, schema), ...kept };
  const { labels = {}, annotations = {}, ownerReferences = [] } = live.metadata;
  const version = desired.metadata.labels?.[keys.releaseVersion];
  const others = Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !(annotationKeys as readonly string[]).includes(name)),
  );
  const next = {
    ...live,
    metadata: {
      ...live.metadata,
      labels: version === undefined ? labels : { ...labels, [keys.releaseVersion]: version },
      annotations: { ...others, ...desired.metadata.annotations },
      ownerReferences: ownerReferences.length > 0 ? ownerReferences : (desired.metadata.ownerReferences ?? []),
    },
    spec,
  };
  const isSame =
    equalJson(before, spec) &&
    equalJson(labels, next.metadata.labels) &&
    equalJson(annotations, next.metadata.annotations) &&
    equalJson(ownerReferences, next.metadata.ownerReferences);
  return isSame ? undefined : next;
}

/** Ignores a TektonConfig of another name than the one that the operator manages. */
export function decideName(name: string): { readonly goesOn: boolean; readonly marks: readonly ConditionMark[] } {
  if (name === 'config') return { goesOn: true, marks: [] };
  return { goesOn: false, marks: [{ notReady: `Resource ignored, Expected Name: config, Got Name: ${name}` }] };
}

const upgrades = {
  PreUpgrade: { annotation: preUpgradeVersion, words: 'Pre upgrade is in progress' },
  PostUpgrade: { annotation: postUpgradeVersion, words: 'Post upgrade is in progress' },
} as const;

/**
 * The phase of an upgrade. It is `pending` until a reconcile has reported its start in the condition, `started` until the status
 * records the version, and `completed` after that.
 */
export function decideUpgrade(
  status: TektonConfig['status'],
  condition: keyof typeof upgrades,
  version: string,
): 'pending' | 'started' | 'completed' {
  if (status?.annotations?.[upgrades[condition].annotation] === version) return 'completed';
  return findCondition(status?.conditions, condition)?.status === 'False' ? 'started' : 'pending';
}

/** The condition of an upgrade that starts. */
export function upgradeStarted(condition: keyof typeof upgrades): ConditionMark {
  return { isFalse: condition, message: upgrades[condition].words, reason: `Performing ${condition}` };
}

/** The version of the operator that managed a TektonConfig last. */
export function versionBefore({ metadata }: Pick<TektonConfig, 'metadata'>): string | undefined {
  return metadata.labels?.[keys.releaseVersion];
}

/** The two pruners exclude each other. Returns the message for a spec that enables both. */
export function prunerConflict({ choices, spec }: Pick<ObservedConfig, 'choices' | 'spec'>): string | undefined {
  if (choices.eventPruner !== 'wanted' || spec.pruner?.disabled) return undefined;
  return 'Invalid Pruner Configuration!! Both pruners, tektonpruner(event based) and pruner(job based) cannot be enabled simultaneously. Please disable one of them.';
}

export function componentsNotReady(message: string): ConditionMark {
  return { isFalse: 'ComponentsReady', message: `Components not in ready state: ${message}` };
}

/** The condition about components that are left out because there is no release of them; nothing where there never was one. */
export function optionalComponents({ status }: TektonConfig, isMissing: boolean): readonly ConditionMark[] {
  if (!isMissing)
    return findCondition(status?.conditions, 'OptionalComponents') ? [{ isTrue: 'OptionalComponents' }] : [];
  const message =
    'OpenShiftPipelinesAsCode is left out: there is no release of it. Put the release file into the folder pipelines-as-code ' +
    'of KO_DATA_PATH and restart the operator, or set spec.platforms.kubernetes.pipelinesAsCode.enable to false';
  return [{ isFalse: 'OptionalComponents', reason: 'ReleaseMissing', message }];
}

export function preInstallFailed(message: string): ConditionMark {
  return { isFalse: 'PreInstall', message: `PreReconciliation failed with message: ${message}` };
}

export function postInstallFailed(message: string): ConditionMark {
  return { isFalse: 'PostInstall', message: `PostReconciliation failed with message: ${message}` };
}

/** The conditions of a TektonConfig that another version of the operator managed before. */
export function upgradePendingMarks(before: string | undefined): readonly ConditionMark[] {
  if (before === undefined) return [];
  return [
    componentsNotReady('Upgrade Pending'),
    preInstallFailed('upgrade pending'),
    postInstallFailed('upgrade pending'),
    { notReady: 'Upgrade Pending' },
  ];
}
