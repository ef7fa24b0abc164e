import type { Resource } from '../../registry/resource.ts';
import type { ResourceTable } from '../../registry/resource-table.ts';

/** Which resources are the same objects in another version, or under another group: those that are stored together. */
export class EquivalentResources {
  private readonly table: ResourceTable;
  private readonly byPrefix = new Map<string, Resource[]>();
  private generation = -1;

  constructor(table: ResourceTable) {
    this.table = table;
  }

  /** Grows with every change of what is served. */
  get version(): number {
    return this.table.generation;
  }

  /** The other forms of a resource that have the subresource too. */
  of(resource: Resource, subresource: string): readonly Resource[] {
    if (this.generation !== this.table.generation) this.index();
    return (this.byPrefix.get(resource.storagePrefix) ?? []).filter(
      (other) =>
        (other.version !== resource.version || other.group !== resource.group) &&
        (subresource === '' || other.subresources.some(({ name }) => name === subresource)),
    );
  }

  private index(): void {
    this.byPrefix.clear();
    for (const resource of this.table.all()) {
      const entries = this.byPrefix.get(resource.storagePrefix);
      if (entries) entries.push(resource);
      else this.byPrefix.set(resource.storagePrefix, [resource]);
    }
    this.generation = this.table.generation;
  }
}
