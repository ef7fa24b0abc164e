import { invalidObjectError, type KubeObject, type Mutable, type Random } from '@tektite/meta';
import type { Service } from '@tektite/schema/kubernetes';
import type { Storage } from '../storage/storage.ts';
import type { SideEffects } from './object-store.ts';
import type { Resource } from './resource.ts';

/** Cluster addresses are 10.0.0.0/24, of which the first belongs to the API server itself. */
const network = '10.0.0.';
const lowestHost = 2;
const highestHost = 254;
const lowestNodePort = 30_000;
const highestNodePort = 32_767;

/** What a Service holds: its cluster address, and the node ports by protocol. */
type Claims = Map<string, string>;

/**
 * Hands out cluster addresses and node ports, so that no two Services have the same. What is taken is read off the
 * stored Services once and followed from then on.
 */
export class ServiceAddresses implements SideEffects {
  private readonly random: Random;
  private readonly taken: Claims = new Map();

  constructor(storage: Storage, random: Random) {
    this.random = random;
    for (const { value } of storage.list(prefix).entries) this.claim(value as Service);
    storage.watch(prefix, storage.revision, ({ value, deleted, previous }) => {
      if (previous) this.release(previous as Service);
      if (!deleted) this.claim(value as Service);
    });
  }

  beforeCreate(resource: Resource, draft: KubeObject, dryRun: boolean): (() => void) | undefined {
    return isService(resource) ? this.assign(draft as Mutable<Service>, undefined, dryRun) : undefined;
  }

  beforeUpdate(resource: Resource, draft: KubeObject, old: KubeObject, dryRun: boolean): (() => void) | undefined {
    return isService(resource) ? this.assign(draft as Mutable<Service>, old as Service, dryRun) : undefined;
  }

  /** Fills in what the Service leaves to us; checks what it asks for. The answer gives back what was taken. */
  private assign(service: Mutable<Service>, old: Service | undefined, dryRun: boolean): () => void {
    const { spec } = service;
    const mine: string[] = [];
    const take = (claim: string) => {
      this.taken.set(claim, keyOf(service));
      mine.push(claim);
    };
    const undo = () => {
      for (const claim of mine) if (this.taken.get(claim) === keyOf(service)) this.taken.delete(claim);
    };
    if (!spec || spec.type === 'ExternalName') return undo;
    spec.ipFamilyPolicy ??= 'SingleStack';
    spec.ipFamilies ??= ['IPv4'];
    const free = (claim: string) => !this.taken.has(claim) || this.taken.get(claim) === keyOf(service);
    try {
      this.assignAddress(service, old, take, free, dryRun);
      if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') this.assignNodePorts(service, old, take, free);
    } catch (error) {
      undo();
      throw error;
    }
    return undo;
  }

  private assignAddress(
    service: Mutable<Service>,
    old: Service | undefined,
    take: (claim: string) => void,
    free: (claim: string) => boolean,
    dryRun: boolean,
  ): void {
    const spec = service.spec as NonNullable<Mutable<Service>['spec']>;
    if (spec.clusterIP === 'None') {
      spec.clusterIPs = ['None'];
      return;
    }
    const wanted = spec.clusterIP || old?.spec?.clusterIP;
    if (wanted && wanted !== 'None') {
      if (!free(wanted))
        throw invalidService(
          service,
          'spec.clusterIPs',
          [wanted],
          `failed to allocate IP ${wanted}: provided IP is already allocated`,
        );
      if (!wanted.includes(':') && !wanted.startsWith(network) && old?.spec?.clusterIP !== wanted) {
        throw invalidService(
          service,
          'spec.clusterIPs',
          [wanted],
          `failed to allocate IP ${wanted}: the provided network does not match the current range`,
        );
      }
      take(wanted);
      setAddress(spec, wanted);
      return;
    }
    // A dry run takes nothing; upstream shows the network's own address then.
    const address = dryRun ? `${network}0` : this.pick(free);
    if (!dryRun) take(address);
    setAddress(spec, address);
  }

  private pick(free: (claim: string) => boolean): string {
    const count = highestHost - lowestHost + 1;
    const start = Math.floor(this.random.next() * count);
    for (let i = 0; i < count; i++) {
      const address = `${network}${lowestHost + ((start + i) % count)}`;
      if (free(address)) return address;
    }
    throw new Error('all cluster addresses are taken');
  }

  private assignNodePorts(
    service: Mutable<Service>,
    old: Service | undefined,
    take: (claim: string) => void,
    free: (claim: string) => boolean,
  ): void {
    const spec = service.spec as NonNullable<Mutable<Service>['spec']>;
    if (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === false) return;
    const count = highestNodePort - lowestNodePort + 1;
    for (const [index, port] of (spec.ports ?? []).entries()) {
      const protocol = port.protocol ?? 'TCP';
      if (port.nodePort) {
        const before = old?.spec?.ports?.some((other) => other.nodePort === port.nodePort) ?? false;
        if (!before && !free(`${protocol}:${port.nodePort}`)) {
          throw invalidService(
            service,
            `spec.ports[${index}].nodePort`,
            port.nodePort,
            'provided port is already allocated',
          );
        }
        if (port.nodePort < lowestNodePort || port.nodePort > highestNodePort) {
          throw invalidService(
            service,
            `spec.ports[${index}].nodePort`,
            port.nodePort,
            `provided port is not in the valid range. The range of valid ports is ${lowestNodePort}-${highestNodePort}`,
          );
        }
      } else {
        let candidate = lowestNodePort + Math.floor(this.random.next() * count);
        while (!free(`${protocol}:${candidate}`))
          candidate = candidate === highestNodePort ? lowestNodePort : candidate + 1;
        port.nodePort = candidate;
      }
      take(`${protocol}:${port.nodePort}`);
    }
  }

  private claim(service: Service): void {
    for (const claim of claimsOf(service)) this.taken.set(claim, keyOf(service));
  }

  private release(service: Service): void {
    for (const claim of claimsOf(service)) if (this.taken.get(claim) === keyOf(service)) this.taken.delete(claim);
  }
}

const prefix = '/registry/services/';

function isService({ group, plural }: Resource): boolean {
  return group === '' && plural === 'services';
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function claimsOf({ spec }: Service): string[] {
  const addresses = (spec?.clusterIPs ?? []).filter((address) => address !== '' && address !== 'None');
  const ports = (spec?.ports ?? []).flatMap(({ nodePort, protocol }) =>
    nodePort ? [`${protocol ?? 'TCP'}:${nodePort}`] : [],
  );
  return [...addresses, ...ports];
}

function setAddress(spec: NonNullable<Mutable<Service>['spec']>, address: string): void {
  spec.clusterIP = address;
  spec.clusterIPs = [address];
}

function invalidService(service: KubeObject, field: string, value: unknown, detail: string): Error {
  return invalidObjectError('', 'Service', service.metadata.name ?? '', [
    { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(value)}: ${detail}` },
  ]);
}
