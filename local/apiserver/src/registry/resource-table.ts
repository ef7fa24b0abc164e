import { compareVersions } from '@tektite/meta';
import type { Resource } from './resource.ts';

/** A group as clients find it: its versions, best first, and the resources of each in their order of registration. */
export interface GroupEntry {
  readonly name: string;
  readonly versions: readonly VersionEntry[];
}

export interface VersionEntry {
  readonly version: string;
  readonly resources: readonly Resource[];
}

/** All resources served at this moment. CRDs come and go; readers that cache compare `generation`. */
export class ResourceTable {
  /** Grows with every change. */
  generation = 0;
  private readonly byPath = new Map<string, Resource>();
  private readonly groups = new Map<string, Map<string, Resource[]>>();

  /** The resource at `/apis/GROUP/VERSION/PLURAL`. */
  find(group: string, version: string, plural: string): Resource | undefined {
    return this.byPath.get(`${group}/${version}/${plural}`);
  }

  /** The resource of a kind, in that version. */
  findKind(group: string, version: string, kind: string): Resource | undefined {
    return this.groups
      .get(group)
      ?.get(version)
      ?.find((resource) => resource.kind === kind);
  }

  add(resource: Resource): void {
    const { group, version, plural } = resource;
    this.remove(group, version, plural);
    this.generation++;
    this.byPath.set(`${group}/${version}/${plural}`, resource);
    let versions = this.groups.get(group);
    if (!versions) this.groups.set(group, (versions = new Map()));
    const resources = versions.get(version);
    if (resources) resources.push(resource);
    else versions.set(version, [resource]);
  }

  remove(group: string, version: string, plural: string): void {
    if (!this.byPath.delete(`${group}/${version}/${plural}`)) return;
    this.generation++;
    const versions = this.groups.get(group);
    const rest = versions?.get(version)?.filter((resource) => resource.plural !== plural) ?? [];
    if (rest.length > 0) versions?.set(version, rest);
    else versions?.delete(version);
    if (versions?.size === 0) this.groups.delete(group);
  }

  group(name: string): GroupEntry | undefined {
    const versions = this.groups.get(name);
    return versions && { name, versions: sortVersions(versions) };
  }

  /** Every group but the core one, in order of registration. */
  allGroups(): GroupEntry[] {
    return [...this.groups]
      .filter(([name]) => name !== '')
      .map(([name, versions]) => ({ name, versions: sortVersions(versions) }));
  }

  all(): IterableIterator<Resource> {
    return this.byPath.values();
  }
}

function sortVersions(versions: ReadonlyMap<string, readonly Resource[]>): VersionEntry[] {
  return [...versions]
    .map(([version, resources]) => ({ version, resources }))
    .sort((a, b) => compareVersions(a.version, b.version));
}
