import type { KubeObject } from '@tektite/meta';
import type { Storage } from '../../storage/storage.ts';

/** A policy, prepared, and its bindings, prepared too. */
export interface BoundPolicy<P, B> {
  readonly policy: P;
  readonly bindings: readonly B[];
}

export interface PolicyIndexParts<P, B> {
  readonly policies: string;
  readonly bindings: string;
  readonly compilePolicy: (policy: KubeObject) => P;
  readonly compileBinding: (binding: KubeObject) => B;
}

/**
 * Policies with their bindings, listed once and watched from then on, in the order of their names. Policies without a
 * binding are left out.
 */
export class PolicyIndex<P, B> implements Disposable {
  private readonly policies = new Map<string, P>();
  private readonly bindings = new Map<string, { readonly policyName: string; readonly binding: B }>();
  private readonly subscriptions: readonly Disposable[];
  private bound: readonly BoundPolicy<P, B>[] | undefined;

  constructor(storage: Storage, parts: PolicyIndexParts<P, B>) {
    this.subscriptions = [
      this.follow(storage, parts.policies, this.policies, parts.compilePolicy),
      this.follow(storage, parts.bindings, this.bindings, (object) => ({
        policyName: (object as { spec?: { policyName?: string } }).spec?.policyName ?? '',
        binding: parts.compileBinding(object),
      })),
    ];
  }

  active(): readonly BoundPolicy<P, B>[] {
    return (this.bound ??= this.join());
  }

  [Symbol.dispose](): void {
    for (const subscription of this.subscriptions) subscription[Symbol.dispose]();
  }

  private follow<T>(
    storage: Storage,
    plural: string,
    into: Map<string, T>,
    compile: (object: KubeObject) => T,
  ): Disposable {
    const prefix = `/registry/${plural}/`;
    for (const { value } of storage.list(prefix).entries) into.set(value.metadata.name ?? '', compile(value));
    return storage.watch(prefix, storage.revision, ({ value, deleted }) => {
      this.bound = undefined;
      const { name = '' } = value.metadata;
      if (deleted) into.delete(name);
      else into.set(name, compile(value));
    });
  }

  private join(): BoundPolicy<P, B>[] {
    const byPolicy = new Map<string, B[]>();
    for (const [, { policyName, binding }] of sortedEntries(this.bindings))
      byPolicy.set(policyName, [...(byPolicy.get(policyName) ?? []), binding]);
    return sortedEntries(this.policies).flatMap(([name, policy]) => {
      const bindings = byPolicy.get(name);
      return bindings ? [{ policy, bindings }] : [];
    });
  }
}

function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
