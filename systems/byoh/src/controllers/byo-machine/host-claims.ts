import { cacheKey } from '@tektite/controller/cache';
import type { ByoHost } from '../../kinds/byo-host.ts';
import { clusterNameLabel, machineNameAnnotation, machineNameLabel } from '../../wire-names.ts';

/**
 * Shared by the workers of this process: which hosts are being claimed, and which machines wait for one. It only saves
 * work: between processes, and after errors here, the resourceVersion of the host decides.
 */
export class HostClaims {
  private readonly claims = new Map<string, { readonly machine: string; readonly state: string | undefined }>();
  private readonly waiting = new Set<string>();

  /** Those of the hosts that no other machine is claiming. */
  *free(hosts: Iterable<ByoHost>, machine: string): Iterable<ByoHost> {
    for (const host of hosts) {
      const key = cacheKey(host.metadata);
      const claim = this.claims.get(key);
      // The claim shows in the host itself by now.
      if (claim && claim.state !== host.metadata.resourceVersion) this.claims.delete(key);
      else if (claim && claim.machine !== machine) continue;
      yield host;
    }
  }

  take({ metadata }: ByoHost, machine: string): void {
    this.claims.set(cacheKey(metadata), { machine, state: metadata.resourceVersion });
  }

  /** A claim that came to nothing must not keep the host from others. */
  drop(machine: string): void {
    for (const [host, claim] of this.claims) if (claim.machine === machine) this.claims.delete(host);
  }

  waits(machine: string, isWaiting: boolean): void {
    if (isWaiting) this.waiting.add(machine);
    else this.waiting.delete(machine);
  }

  /** The machines that a change of a host is news for: its own, and while it is free, those that wait for one. */
  concernedBy(host: ByoHost): Iterable<string> {
    const own = machineOf(host);
    if (own === undefined) return [...this.waiting];
    return Object.hasOwn(host.metadata.labels ?? {}, clusterNameLabel) ? [own] : [own, ...this.waiting];
  }
}

/** Whose host it is, as it says itself. Names of namespaces have no dots. */
function machineOf({ metadata, status }: ByoHost): string | undefined {
  const { namespace, name } = status?.machineRef ?? {};
  if (namespace && name) return cacheKey({ namespace, name });
  const text = metadata.annotations?.[machineNameAnnotation] ?? metadata.labels?.[machineNameLabel];
  const dot = text?.indexOf('.') ?? -1;
  return text === undefined || dot < 0
    ? undefined
    : cacheKey({ namespace: text.slice(0, dot), name: text.slice(dot + 1) });
}
