import type { Client } from '@tektite/client';
import type { RunningSource, Source, SourceTarget } from '@tektite/controller';
import { cacheKey, type InformerLease } from '@tektite/controller/cache';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import type { InstallerConfig } from '../../installer/decide-installer.ts';

interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** More kinds of installers than any cluster has. */
const maxKinds = 32;

/**
 * The configs of all installers that machines refer to. Only the machines name their kinds: each kind is watched from
 * its first use on. A config has its machine's name, so a change enqueues that machine.
 */
export class InstallerConfigs implements Source {
  readonly describe = 'installer configs';
  private target: SourceTarget | undefined;
  private readonly leases = new Map<string, InformerLease<DynamicObject, DynamicObject>>();

  /** The config, from the cache where there is one, from the API otherwise. */
  async find(client: Client, kind: KindName, namespace: string, name: string): Promise<InstallerConfig | undefined> {
    this.follow(kind);
    const cached = this.leases.get(textOf(kind))?.informer.store.get(cacheKey({ namespace, name }));
    if (cached) return cached as InstallerConfig;
    return (await client.getOrUndefined(kind, { namespace, name })) as InstallerConfig | undefined;
  }

  start(target: SourceTarget): RunningSource {
    this.target = target;
    return {
      synced: () => Promise.resolve(),
      stop: async () => {
        this.target = undefined;
        const leases = [...this.leases.values()];
        this.leases.clear();
        await Promise.all(leases.map((lease) => lease.release()));
      },
    };
  }

  private follow(kind: KindName): void {
    const { target } = this;
    const text = textOf(kind);
    if (!target || this.leases.has(text) || this.leases.size >= maxKinds) return;
    const lease = target.informers.acquire<DynamicObject>(kind);
    this.leases.set(text, lease);
    const enqueue = (change: string) => (object: Pick<KubeObject, 'metadata'>) => {
      const key = cacheKey(object.metadata);
      target.add(key, { cause: { kind: kind.kind, object: key, change } });
    };
    lease.informer.addHandler({
      added: enqueue('added'),
      modified: enqueue('modified'),
      deleted: enqueue('deleted'),
    });
  }
}

function textOf({ apiVersion, kind }: KindName): string {
  return `${apiVersion} ${kind}`;
}
