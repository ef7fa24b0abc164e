import { invalidObjectError, type KubeObject, type Random } from '@tektite/meta';
import type { Service } from '@tektite/schema/kubernetes';
import type { Storage } from '../storage/storage.ts';
import type { ServiceNetwork, StrategyContext } from '../registry/kind-strategy.ts';
import type { SideEffects } from './store-parts.ts';
import type { Draft, Resource } from '../registry/resource.ts';

const prefix = '/registry/services/';

/** As kube-apiserver has it without `--service-cluster-ip-range`. */
export const defaultServiceRange = '10.0.0.0/24';
const nodePorts = { first: 30_000, last: 32_767 };

/**
 * Knows which cluster addresses and node ports are taken, so that no two Services have the same. Read off the stored
 * Services once and followed from then on; what a write under way has chosen counts as taken, too.
 */
export class ServiceAddresses implements SideEffects {
  private readonly addresses = new Counter<string>();
  private readonly ports = new Counter<number>();
  private readonly network: ServiceNetwork;

  constructor(storage: Storage, random: Random, range: string) {
    this.network = { range, nodePorts, takenAddresses: this.addresses, takenPorts: this.ports, random };
    for (const { value } of storage.list(prefix).entries) this.claim(value as Service);
    storage.watch(prefix, storage.revision, ({ value, deleted, previous }) => {
      if (previous) this.release(previous as Service);
      if (!deleted) this.claim(value as Service);
    });
  }

  beforeCreate(resource: Resource, draft: Draft, context: StrategyContext): (() => void) | undefined {
    return this.allocate(resource, draft, undefined, context);
  }

  beforeUpdate(resource: Resource, draft: Draft, old: KubeObject, context: StrategyContext): (() => void) | undefined {
    return this.allocate(resource, draft, old, context);
  }

  /** Lets the kind choose, and holds what it chose until the write is done or given up. */
  private allocate(
    resource: Resource,
    draft: Draft,
    old: KubeObject | undefined,
    context: StrategyContext,
  ): (() => void) | undefined {
    if (!resource.strategy.allocate) return undefined;
    const errors = resource.strategy.allocate(draft, old, {
      ...context,
      serviceNetwork: () => ({ ...this.network, dryRun: context.dryRun === true }),
    });
    if (errors.length > 0) throw invalidObjectError(resource.group, resource.kind, draft.metadata.name ?? '', errors);
    const chosen = structuredClone({ spec: draft.spec }) as Service;
    this.claim(chosen);
    let held = true;
    return () => {
      if (held) this.release(chosen);
      held = false;
    };
  }

  private claim(service: Service): void {
    for (const address of addressesOf(service)) this.addresses.add(address);
    for (const port of portsOf(service)) this.ports.add(port);
  }

  private release(service: Service): void {
    for (const address of addressesOf(service)) this.addresses.remove(address);
    for (const port of portsOf(service)) this.ports.remove(port);
  }
}

/** A set whose members are held by several: gone when the last lets go. */
class Counter<T> extends Set<T> {
  private readonly counts = new Map<T, number>();

  override add(value: T): this {
    this.counts.set(value, (this.counts.get(value) ?? 0) + 1);
    return super.add(value);
  }

  remove(value: T): void {
    const left = (this.counts.get(value) ?? 1) - 1;
    if (left > 0) this.counts.set(value, left);
    else {
      this.counts.delete(value);
      this.delete(value);
    }
  }
}

function addressesOf({ spec }: Service): readonly string[] {
  return (spec?.clusterIPs ?? []).filter((address) => address !== '' && address !== 'None');
}

function portsOf({ spec }: Service): readonly number[] {
  const ports = (spec?.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
  return spec?.healthCheckNodePort ? [...ports, spec.healthCheckNodePort] : ports;
}

/** The first address of a range: the API server's own Service has it. */
export function firstAddress(range: string): string {
  const [base = ''] = range.split('/');
  return base.replace(/\d+$/, (last) => String(Number(last) + 1));
}
