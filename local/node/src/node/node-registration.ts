import { type Client, kinds, mergePatch, strategicMergePatch } from '@tektite/client';
import { type Clock, formatMicroTime, isStatusError } from '@tektite/meta';
import type { Lease, Node } from '@tektite/schema/kubernetes';
import { type NodeFacts, nodeLabels, nodeObject, nodeStatus } from './node-object.ts';

const leaseNamespace = 'kube-node-lease';
const leaseSeconds = 40;
const renewMs = 10_000;
/** The status is written this often, even if nothing changed. */
const statusMs = 300_000;
/** Taints of an unreachable node; this one is reachable again. */
const absenceTaints = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);

/** Keeps the Node object and its Lease, the heartbeat of this node. */
export class NodeRegistration implements AsyncDisposable {
  private readonly client: Client;
  private readonly clock: Clock;
  private readonly facts: NodeFacts;
  private readonly onError: (error: Error) => void;
  private timer: Disposable | undefined;
  private node: Node | undefined;
  private lastStatus = 0;
  private beating: Promise<void> | undefined;
  private closed = false;

  constructor(client: Client, facts: NodeFacts, onError: (error: Error) => void) {
    this.client = client;
    this.clock = client.clock;
    this.facts = facts;
    this.onError = onError;
  }

  /** Registers, and goes on to say that the node is there. Rejects when the server refuses it. */
  async start(): Promise<Node> {
    this.node = await this.register();
    await this.writeStatus();
    await this.renewLease();
    this.arm();
    return this.node;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true;
    this.timer?.[Symbol.dispose]();
    await this.beating;
  }

  private arm(): void {
    if (this.closed) return;
    this.timer = this.clock.setTimer(renewMs, () => {
      this.beating = this.beat().finally(() => this.arm());
    });
  }

  private async beat(): Promise<void> {
    try {
      await this.renewLease();
      if (this.clock.now() - this.lastStatus >= statusMs) await this.writeStatus();
    } catch (error) {
      this.onError(error as Error);
    }
  }

  private async register(): Promise<Node> {
    const wanted = nodeObject(this.facts);
    try {
      return await this.client.create(kinds.Node, wanted);
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
    const { name } = this.facts;
    const found = await this.client.get(kinds.Node, { name });
    const labels = { ...nodeLabels(name, this.facts.machine), ...this.facts.labels };
    return this.client.patch(
      kinds.Node,
      { name },
      strategicMergePatch({ metadata: { labels, uid: found.metadata.uid } }),
    );
  }

  private async writeStatus(): Promise<void> {
    const { name } = this.facts;
    const status = nodeStatus(this.facts, this.node?.status, this.clock.now());
    this.node = await this.client.patchStatus(kinds.Node, { name }, strategicMergePatch({ status }), {
      fieldManager: 'kubelet',
    });
    this.lastStatus = this.clock.now();
    await this.removeAbsence();
  }

  /** The controllers of a cluster do this, too. Where they are faster, or change something else, it is left to them. */
  private async removeAbsence(): Promise<void> {
    const { name } = this.facts;
    const taints = this.node?.spec?.taints ?? [];
    const kept = taints.filter(({ key }) => !absenceTaints.has(key));
    if (kept.length === taints.length) return;
    const { resourceVersion } = this.node?.metadata ?? {};
    try {
      const patch = mergePatch({ metadata: { resourceVersion }, spec: { taints: kept } });
      this.node = await this.client.patch(kinds.Node, { name }, patch);
    } catch (error) {
      if (!isStatusError(error, 'Conflict')) throw error;
    }
  }

  private async renewLease(): Promise<void> {
    const { name } = this.facts;
    const spec = {
      holderIdentity: name,
      leaseDurationSeconds: leaseSeconds,
      renewTime: formatMicroTime(this.clock.now()),
    };
    try {
      await this.client.patch(kinds.Lease, { namespace: leaseNamespace, name }, strategicMergePatch({ spec }));
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
      await this.createLease(spec);
    }
  }

  private async createLease(spec: Lease['spec']): Promise<void> {
    const { name } = this.facts;
    const owner = { apiVersion: 'v1', kind: 'Node', name, uid: this.node?.metadata.uid ?? '' };
    await this.client.create(kinds.Lease, {
      metadata: { namespace: leaseNamespace, name, ownerReferences: [owner] },
      ...(spec ? { spec } : {}),
    });
  }
}
