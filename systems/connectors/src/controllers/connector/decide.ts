import { equalJson } from '@tektite/meta';
import { keys, manifestTypes } from '../../connector-keys.ts';
import { manifestTypeOf } from '../../kinds/manifest-type.ts';
import type { InstallManifest } from '../../kinds/install-manifest.ts';
import type { WantedManifest } from './manifest-for.ts';

/** Something to do about InstallManifests. */
export type ManifestAction =
  | { readonly type: 'adopt'; readonly manifest: InstallManifest; readonly labels: Readonly<Record<string, string>> }
  | { readonly type: 'delete'; readonly manifest: InstallManifest }
  | { readonly type: 'create'; readonly wanted: WantedManifest }
  | { readonly type: 'update'; readonly manifest: InstallManifest; readonly wanted: WantedManifest };

/** The next action, and the condition until then. */
export interface ConnectorDecision {
  /** In this order; the first that fails ends it. */
  readonly actions: readonly ManifestAction[];
  /** Why the installation cannot proceed; undefined when the InstallManifests decide the condition. */
  readonly state?: { readonly reason: string; readonly message: string };
}

export interface ConnectorObservation {
  /** All InstallManifests that belong to the Connector, or may. */
  readonly found: readonly InstallManifest[];
  readonly wanted: readonly [WantedManifest, WantedManifest];
  readonly operatorVersion: string;
}

/** Steps C4 to C8 of a Connector. Pure. */
export function decideConnector({ found, wanted, operatorVersion }: ConnectorObservation): ConnectorDecision {
  const former = found.filter((manifest) => !manifest.metadata.labels?.[keys.connectorName]);
  if (former.length > 0) return { actions: former.map((manifest) => adoption(manifest, wanted)), state: installing };
  const stale = found.flatMap((manifest) => difference(manifest, wanted, operatorVersion) ?? []);
  const [why] = stale;
  const leaving = found.filter(({ metadata }) => metadata.deletionTimestamp);
  if (leaving.length > 0) {
    const message = `waiting for ${leaving.map(({ metadata }) => metadata.name).join(' and ')} to go`;
    return { actions: [], state: why ?? { reason: 'Deleting', message } };
  }
  const surplus = surplusOf(found, wanted);
  if (surplus.length > 0)
    return { actions: surplus.map((manifest) => ({ type: 'delete', manifest })), state: installing };
  if (why) return { actions: inOrder(found).map((manifest) => ({ type: 'delete', manifest })), state: why };
  return changes(found, wanted);
}

const installing = { reason: 'Installing', message: 'the InstallManifests were written' };

/** Of early versions, which had other labels. */
function adoption(manifest: InstallManifest, [{ labels }]: ConnectorObservation['wanted']): ManifestAction {
  const own = manifest.metadata.labels ?? {};
  const type = manifestTypeOf(manifest);
  return {
    type: 'adopt',
    manifest,
    labels: {
      [keys.connectorName]: labels[keys.connectorName] ?? '',
      [keys.connectorNamespace]: labels[keys.connectorNamespace] ?? '',
      [keys.manifestType]: type,
      [keys.releaseVersion]: own[keys.releaseVersion] ?? own[keys.formerVersion] ?? '',
    },
  };
}

/**
 * The reason to recreate an InstallManifest: another operator, another namespace, another Connector of the same name.
 */
function difference(
  { metadata, spec }: InstallManifest,
  wanted: ConnectorObservation['wanted'],
  operatorVersion: string,
): { readonly reason: string; readonly message: string } | undefined {
  const [{ labels, annotations, spec: own }] = wanted;
  const version = metadata.labels?.[keys.releaseVersion] ?? '';
  if (version !== labels[keys.releaseVersion])
    return { reason: 'Upgrading', message: `from ${version || 'an unknown version'} to ${operatorVersion}` };
  const target = metadata.annotations?.[keys.targetNamespace];
  if (target !== undefined && target !== annotations[keys.targetNamespace])
    return { reason: 'Reinstalling', message: `from namespace ${target} to ${annotations[keys.targetNamespace]}` };
  const uid = spec.connectorRef?.uid;
  if (uid && uid !== own.connectorRef?.uid)
    return { reason: 'Reinstalling', message: 'it was installed by an earlier Connector of this name' };
  return undefined;
}

/** Of several of one type only one can stay: the one with the name it would be given. */
function surplusOf(
  found: readonly InstallManifest[],
  wanted: ConnectorObservation['wanted'],
): readonly InstallManifest[] {
  return wanted.flatMap(({ type, name }) => {
    const own = found.filter((manifest) => manifestTypeOf(manifest) === type);
    if (own.length < 2) return [];
    const kept = own.find(({ metadata }) => metadata.name === name) ?? own[0];
    return own.filter((manifest) => manifest !== kept);
  });
}

/** Prerequisites of the workloads first, in the order of creation. */
export function inOrder(found: readonly InstallManifest[]): readonly InstallManifest[] {
  return manifestTypes.flatMap((type) => found.filter((manifest) => manifestTypeOf(manifest) === type));
}

function changes(found: readonly InstallManifest[], wanted: ConnectorObservation['wanted']): ConnectorDecision {
  const [first] = wanted;
  const base = found.find((manifest) => manifestTypeOf(manifest) === 'static');
  const actions = wanted.flatMap((each): ManifestAction[] => {
    const manifest = found.find((one) => manifestTypeOf(one) === each.type);
    // One that was adopted keeps its name, and the other one waits for it by that.
    const real =
      each === first || !base?.metadata.name
        ? each
        : { ...each, spec: { ...each.spec, dependsOn: [base.metadata.name] } };
    if (!manifest) return [{ type: 'create', wanted: real }];
    return isAsWanted(manifest, real) ? [] : [{ type: 'update', manifest, wanted: real }];
  });
  return { actions, ...(actions.length > 0 ? { state: installing } : {}) };
}

function isAsWanted({ metadata, spec }: InstallManifest, wanted: WantedManifest): boolean {
  return (
    metadata.annotations?.[keys.hash] === wanted.hash &&
    metadata.annotations[keys.formerHash] === undefined &&
    Object.entries(wanted.annotations).every(([key, value]) => metadata.annotations?.[key] === value) &&
    Object.entries(wanted.labels).every(([key, value]) => metadata.labels?.[key] === value) &&
    spec.manifestType === wanted.spec.manifestType &&
    equalJson(spec.connectorRef, wanted.spec.connectorRef) &&
    equalJson(spec.dependsOn ?? [], wanted.spec.dependsOn ?? []) &&
    equalJson(spec.render, wanted.spec.render) &&
    equalJson(spec.manifests, wanted.spec.manifests)
  );
}
