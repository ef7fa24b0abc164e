import type { TektonInstallerSet } from '../kinds/kinds.ts';
import { keys } from './set-keys.ts';
import type { WantedSets } from './wanted-sets.ts';

/** The comparison of existing and desired sets. */
export type SetFinding =
  | 'NotFound'
  /** The first sets are there and as they should be; the next ones are still to be made. */
  | 'Partial'
  | 'InDeletion'
  | 'Invalid'
  | 'VersionDifferent'
  | 'NamespaceDifferent'
  | 'UpdateRequired'
  | 'Good';

const isMain = ({ type }: WantedSets) => type === 'main';

/** Whether sets belong to what is wanted: who made them, of which type, and for which minor version where there is one for each. */
export function belongs(
  { metadata }: TektonInstallerSet,
  { createdBy, type, minorVersion }: Pick<WantedSets, 'createdBy' | 'type' | 'minorVersion'>,
): boolean {
  const { labels = {} } = metadata;
  if (minorVersion !== undefined && labels[keys.releaseMinorVersion] !== minorVersion) return false;
  return labels[keys.createdBy] === createdBy && labels[keys.type] === type;
}

/**
 * The first thing that is not as it should be, in upstream's order. `existing` are those that {@link belongs} accepts.
 *
 * @example
 * decideSets([], wanted); // NotFound
 */
export function decideSets(existing: readonly TektonInstallerSet[], wanted: WantedSets): SetFinding {
  if (existing.length === 0) return 'NotFound';
  if (existing.slice(0, 2).some(({ metadata }) => metadata.deletionTimestamp)) return 'InDeletion';
  const findings = existing.map((set) => decideSet(set, wanted));
  const worst = findings.find((finding) => finding !== 'Good') ?? 'Good';
  if (hasParts(existing, wanted)) return worst;
  return worst === 'Good' && isBeginning(existing, wanted) ? 'Partial' : 'Invalid';
}

function hasParts(existing: readonly TektonInstallerSet[], wanted: WantedSets): boolean {
  if (!isMain(wanted)) return existing.length === wanted.parts.length;
  const has = (...words: readonly string[]) =>
    existing.some(({ metadata }) => words.some((word) => metadata.name?.includes(word)));
  return existing.length === 2 && has('static') && has('deployment', 'statefulset');
}

/** Their creation was interrupted, or waits for the first reconcile. */
function isBeginning(existing: readonly TektonInstallerSet[], { parts }: WantedSets): boolean {
  if (existing.length >= parts.length) return false;
  const made = parts.slice(0, existing.length);
  return made.every(({ generateName }) => existing.some(({ metadata }) => metadata.name?.startsWith(generateName)));
}

function decideSet({ metadata }: TektonInstallerSet, wanted: WantedSets): SetFinding {
  const { labels = {}, annotations = {} } = metadata;
  if (wanted.version !== undefined) {
    const version = labels[keys.releaseVersion];
    if (version === undefined) return 'Invalid';
    if (version !== wanted.version) return 'VersionDifferent';
  }
  if (isOther(annotations[keys.payload], wanted.payload)) return 'VersionDifferent';
  const namespace = annotations[keys.targetNamespace];
  if (namespace === undefined) return 'Invalid';
  if (namespace !== wanted.targetNamespace) return 'NamespaceDifferent';
  if (wanted.hash === undefined) return 'Good';
  const hash = annotations[wanted.compared?.annotation ?? keys.lastAppliedHash] ?? wanted.compared?.absent;
  if (hash === undefined) return 'Invalid';
  const changed = hash !== wanted.hash || isOther(annotations[keys.imagesHash], wanted.imagesHash);
  return changed ? 'UpdateRequired' : 'Good';
}

/** A field that upstream does not write is not different where it is absent. */
function isOther(live: string | undefined, wanted: string | undefined): boolean {
  return live !== undefined && wanted !== undefined && live !== wanted;
}

/** The action for a finding. */
export type SetAction = 'create' | 'delete' | 'update' | 'wait' | 'none';

export function actionFor(finding: SetFinding, wanted: WantedSets, existing: readonly TektonInstallerSet[]): SetAction {
  switch (finding) {
    case 'NotFound':
    case 'Partial':
      return 'create';
    case 'InDeletion':
      return 'wait';
    case 'Good':
      return 'none';
    case 'UpdateRequired':
      return wanted.onChange === 'recreate' ? 'delete' : 'update';
    case 'VersionDifferent':
      // In place only where each set has its successor.
      return wanted.onUpgrade === 'update' && existing.length === wanted.parts.length ? 'update' : 'delete';
    default:
      return 'delete';
  }
}
