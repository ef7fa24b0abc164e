import { mkdir } from 'node:fs/promises';
import type { Pod } from '@tektite/schema/kubernetes';
import type { PodSandbox } from '../runtime/pod-runtime.ts';
import { type PreparedVolume, VolumeError } from '../volumes/pod-volumes.ts';
import { removeTree } from '../volumes/remove-tree.ts';
import type { AgentParts } from './agent-parts.ts';
import { podReference } from './container-launcher.ts';
import { HostPortError, HostPorts } from './host-ports.ts';
import { VolumeFollower } from './volume-follower.ts';

/** Waits between attempts to make volumes and the sandbox ready, growing as a kubelet's do. */
const retryMs = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000];

/** The environment of the containers of a Pod: its volumes and its sandbox. */
export class PodSetup {
  readonly sandbox: PodSandbox;
  private readonly parts: AgentParts;
  private prepared: ReadonlyMap<string, PreparedVolume> | undefined;
  private follower: VolumeFollower | undefined;
  private failures = 0;
  private retryAt = 0;
  private made = false;
  private ports: HostPorts | undefined;
  private addresses: readonly string[] | undefined;

  constructor(sandbox: PodSandbox, parts: AgentParts) {
    this.sandbox = sandbox;
    this.parts = parts;
  }

  /** Whether the sandbox is there. */
  get ready(): boolean {
    return this.made;
  }

  /** The addresses of the Pod: its own, or those of the machine. Those that it had before, until its sandbox is there. */
  podIPs({ status }: Pod): readonly string[] {
    const { hostIPs } = this.parts.environment;
    if (this.made || this.addresses) return this.addresses ?? hostIPs;
    return status?.podIPs?.map(({ ip = '' }) => ip) ?? hostIPs;
  }

  get volumes(): ReadonlyMap<string, PreparedVolume> {
    return this.prepared ?? new Map<string, PreparedVolume>();
  }

  update(pod: Pod): void {
    this.follower?.update(pod);
  }

  /** Prepares everything that is not ready. Returns when to retry, if an object is missing; Events name it. */
  async prepare(pod: Pod): Promise<{ readonly retryAt?: number }> {
    if (this.made) return {};
    const { parts, sandbox } = this;
    const now = parts.clock.now();
    if (now < this.retryAt) return { retryAt: this.retryAt };
    if (parts.runtime.usesFiles) await mkdir(sandbox.directory, { recursive: true, mode: 0o750 });
    try {
      this.prepared ??= await parts.volumes.prepare(pod, sandbox.directory, {
        ...parts.environment,
        tokens: parts.tokens,
      });
    } catch (error) {
      if (!(error instanceof VolumeError)) throw error;
      parts.events.event(podReference(pod), { type: 'Warning', reason: 'FailedMount', message: error.message });
      return this.later(now);
    }
    try {
      this.addresses = await parts.runtime.createSandbox(sandbox);
      const [address] = this.addresses ?? [];
      if (address !== undefined) this.ports ??= await HostPorts.open(pod, address, parts.network, parts.clock);
    } catch (error) {
      if (!(error instanceof HostPortError)) throw error;
      const message = `Failed to create pod sandbox: ${error.message}`;
      parts.events.event(podReference(pod), { type: 'Warning', reason: 'FailedCreatePodSandBox', message });
      return this.later(now);
    }
    this.made = true;
    if (parts.runtime.usesFiles) this.follower ??= new VolumeFollower(pod, sandbox.directory, parts);
    return {};
  }

  private later(now: number): { readonly retryAt: number } {
    this.retryAt = now + (retryMs[Math.min(this.failures++, retryMs.length - 1)] as number);
    return { retryAt: this.retryAt };
  }

  /** Stops following what the volumes show. */
  async close(): Promise<void> {
    this.ports?.[Symbol.dispose]();
    this.follower?.[Symbol.dispose]();
    await this.follower?.settled();
  }

  /** Removes everything. */
  async remove(): Promise<void> {
    const { runtime, volumes, tokens } = this.parts;
    const { uid, directory } = this.sandbox;
    await this.close();
    this.ports = undefined;
    await runtime.removeSandbox(uid);
    await volumes.remove(uid);
    tokens.forget(uid);
    this.made = false;
    if (runtime.usesFiles) await removeTree(directory);
  }
}
