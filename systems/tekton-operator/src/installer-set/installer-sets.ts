import { type Client, ignoreNotFound } from '@tektite/client';
import { controllerReference, equalJson, findCondition, type KubeObject } from '@tektite/meta';
import { TektonInstallerSet } from '../kinds/kinds.ts';
import { actionFor, belongs, decideSets, type SetFinding } from './decide-sets.ts';
import { keys } from './set-keys.ts';
import type { SetPart, WantedSets } from './wanted-sets.ts';

/** The state of sets after a reconcile. */
export type SetsState =
  | { readonly state: 'ready' }
  /** A write happened, or is needed: reconcile again later. `replacing` says why they were deleted. */
  | { readonly state: 'waiting'; readonly replacing?: 'upgrade pending' | 'reinstalling' }
  | { readonly state: 'notReady'; readonly message: string };

/** Makes, changes and deletes the installer sets of one owner. */
export class InstallerSets {
  private readonly client: Client;
  private readonly owner: KubeObject;
  private readonly list: () => readonly TektonInstallerSet[];

  /** `list` gives all sets there are, from a cache. */
  constructor(client: Client, owner: KubeObject, list: () => readonly TektonInstallerSet[]) {
    this.client = client;
    this.owner = owner;
    this.list = list;
  }

  /** Those that a component made of one type, or of all. */
  of(createdBy: string, type?: string): readonly TektonInstallerSet[] {
    return this.list().filter(({ metadata }) =>
      type === undefined
        ? metadata.labels?.[keys.createdBy] === createdBy
        : metadata.labels?.[keys.createdBy] === createdBy && metadata.labels[keys.type] === type,
    );
  }

  /** Has the sets be as wanted, one step at a time, and says how far that is. */
  async ensure(wanted: WantedSets): Promise<SetsState> {
    const existing = this.list()
      .filter((set) => belongs(set, wanted))
      .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
    const finding = decideSets(existing, wanted);
    switch (actionFor(finding, wanted, existing)) {
      case 'create':
        await this.createNext(existing, wanted);
        return { state: 'waiting' };
      case 'delete':
        await this.deleteAll(existing);
        return { state: 'waiting', replacing: replacing(finding) };
      case 'update':
        await this.update(existing, wanted);
        return { state: 'waiting' };
      case 'wait':
        // Another process may have been stopped between two deletions.
        if (existing.some(({ metadata }) => !metadata.deletionTimestamp)) await this.deleteAll(existing);
        return { state: 'waiting' };
      case 'none':
        return stateOf(existing, wanted);
    }
  }

  /** Deletes what there is of these types. Resolves with whether nothing was left to delete, or to wait for. */
  async remove(createdBy: string, ...types: readonly string[]): Promise<boolean> {
    const found = types.flatMap((type) => this.of(createdBy, type));
    await this.deleteAll(found);
    return found.length === 0;
  }

  async deleteAll(sets: readonly TektonInstallerSet[]): Promise<void> {
    const first = (set: TektonInstallerSet) => (set.metadata.name?.includes('static') ? 0 : 1);
    for (const { metadata } of [...sets].sort((a, b) => first(a) - first(b))) {
      if (metadata.deletionTimestamp) continue;
      const options = { propagationPolicy: 'Foreground' as const };
      await ignoreMissing(this.client.delete(TektonInstallerSet, { name: metadata.name ?? '' }, options));
    }
  }

  /** One after the other: the accounts of the first set are there before the Deployments of the second need them. */
  private async createNext(existing: readonly TektonInstallerSet[], wanted: WantedSets): Promise<void> {
    const isSeen = existing.every(({ status }) => findCondition(status?.conditions, 'Ready'));
    const next = wanted.parts.find(
      ({ generateName }) => !existing.some(({ metadata }) => metadata.name?.startsWith(generateName)),
    );
    if (isSeen && next) await this.create(next, wanted);
  }

  private async create(part: SetPart, wanted: WantedSets): Promise<void> {
    await this.client.create(TektonInstallerSet, {
      metadata: {
        generateName: part.generateName,
        ...metadataOf(wanted),
        ownerReferences: [controllerReference(this.owner)],
      },
      spec: { manifests: part.objects },
    } as never);
  }

  private async update(existing: readonly TektonInstallerSet[], wanted: WantedSets): Promise<void> {
    for (const part of wanted.parts) {
      const set = successorOf(existing, part);
      if (!set) continue;
      const { labels, annotations } = metadataOf(wanted);
      const next = {
        ...set,
        metadata: {
          ...set.metadata,
          labels: { ...set.metadata.labels, ...labels },
          annotations: { ...set.metadata.annotations, ...annotations },
        },
        spec: { manifests: part.objects },
      } as TektonInstallerSet;
      if (!equalJson(set, next)) await this.client.update(TektonInstallerSet, next);
    }
  }
}

/** The set that has to hold the objects of a part: the name identifies it. */
function successorOf(
  existing: readonly TektonInstallerSet[],
  { generateName }: SetPart,
): TektonInstallerSet | undefined {
  return (
    existing.find(({ metadata }) => metadata.name?.startsWith(generateName)) ??
    (existing.length === 1 ? existing[0] : undefined)
  );
}

function metadataOf(wanted: WantedSets) {
  const { createdBy, type, version, minorVersion, targetNamespace, hash, imagesHash, payload, compared } = wanted;
  return {
    labels: {
      ...wanted.labels,
      [keys.createdBy]: createdBy,
      [keys.type]: type,
      ...(version === undefined ? {} : { [keys.releaseVersion]: version }),
      ...(minorVersion === undefined ? {} : { [keys.releaseMinorVersion]: minorVersion }),
    },
    annotations: {
      ...wanted.annotations,
      [keys.targetNamespace]: targetNamespace,
      ...(hash === undefined ? {} : { [compared?.annotation ?? keys.lastAppliedHash]: hash }),
      ...(imagesHash === undefined ? {} : { [keys.imagesHash]: imagesHash }),
      ...(payload === undefined ? {} : { [keys.payload]: payload }),
    },
  };
}

const replacing = (finding: SetFinding) =>
  finding === 'VersionDifferent' ? ('upgrade pending' as const) : ('reinstalling' as const);

/** A set that was not reconciled since its last change has no state yet. */
function stateOf(sets: readonly TektonInstallerSet[], { createdBy, type }: WantedSets): SetsState {
  for (const { metadata, status } of sets) {
    const ready = findCondition(status?.conditions, 'Ready');
    const observed = status?.observedGeneration;
    const isSeen = observed === undefined || observed >= (metadata.generation ?? 0);
    if (!ready || ready.status === 'Unknown' || !isSeen) return { state: 'waiting' };
    if (ready.status !== 'True')
      return {
        state: 'notReady',
        message: `${createdBy}/${type}: installer set not ready, will retry: ${ready.message ?? ''}`,
      };
  }
  return { state: 'ready' };
}

/** Gone is as good as deleted. */
export async function ignoreMissing(request: Promise<unknown>): Promise<void> {
  await request.catch(ignoreNotFound);
}
