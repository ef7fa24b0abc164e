import type { Storage } from '@tektite/apiserver';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { type DynamicObject, isStatusError, type KubeObject, sleep } from '@tektite/meta';
import { interferenceFaults, type Rates } from '../faults/fault.ts';
import type { FaultSchedule } from '../faults/fault-schedule.ts';
import type { History } from '../history/history.ts';

/** The kinds that another user may touch while the program works, by kind: `Pod`, `Deployment`. */
export interface Interference {
  readonly delete?: readonly string[];
  readonly touch?: readonly string[];
  readonly replace?: readonly string[];
  /** Whether a quota may forbid Pods for a while. */
  readonly quota?: boolean;
}

export interface InterferenceParts {
  readonly client: Client;
  readonly storage: Storage;
  readonly schedule: FaultSchedule;
  readonly history: History;
  readonly rates: Rates;
}

const maxQuotaMs = 120_000;
const who = 'other-user';

/** The annotation that another user writes to objects. */
export const touchedAnnotation = 'other-user.example.com/touched';

/** Another user, who deletes, edits and replaces objects of the program at the worst moment. */
export class OtherUser {
  private readonly interference: Interference;
  private readonly parts: InterferenceParts;
  private touches = 0;

  constructor(interference: Interference, parts: InterferenceParts) {
    this.interference = interference;
    this.parts = parts;
  }

  async tick(): Promise<void> {
    const { schedule, history, rates } = this.parts;
    const possible = interferenceFaults.filter((fault) => this.interference[fault]);
    const fault = schedule.decide(who, 'tick', possible, rates);
    if (!fault) return;
    const { fault: kind, amount } = fault;
    const allowed = kind === 'quota' ? ['Pod'] : this.interference[kind as 'delete' | 'touch' | 'replace'];
    const target = this.pick(allowed ?? [], amount);
    if (!target) return;
    schedule.strike(fault);
    history.note(who, `fault: ${kind} ${target.kind} ${target.metadata.namespace ?? ''}/${target.metadata.name}`);
    await this.act(kind, target, amount).catch((error: unknown) => {
      if (!isStatusError(error)) throw error;
    });
  }

  private async act(kind: string, target: KubeObject, amount: number): Promise<void> {
    const { client } = this.parts;
    const { namespace, name = '' } = target.metadata;
    const key = { name, ...(namespace === undefined ? {} : { namespace }) };
    if (kind === 'touch') {
      const annotations = { [touchedAnnotation]: String(++this.touches) };
      await client.patch(target, key, mergePatch({ metadata: { annotations } }));
    } else if (kind === 'delete') await client.delete(target, key);
    else if (kind === 'replace') await this.replace(target, key);
    else await this.limit(namespace ?? 'default', amount);
  }

  private async replace(target: KubeObject, key: { name: string; namespace?: string }): Promise<void> {
    const { client } = this.parts;
    await client.delete(target, key);
    const { labels, annotations, ownerReferences } = target.metadata;
    const metadata = {
      ...key,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
    };
    const { status: _, ...rest } = target as DynamicObject;
    await sleep(client.clock, 5);
    await client.create({ ...rest, metadata } as KubeObject);
  }

  private async limit(namespace: string, amount: number): Promise<void> {
    const { client } = this.parts;
    const key = { namespace, name: 'other-user' };
    await client.create(kinds.ResourceQuota, { metadata: key, spec: { hard: { pods: '0' } } });
    await sleep(client.clock, amount * maxQuotaMs);
    await client.delete(kinds.ResourceQuota, key);
  }

  /** An object of these kinds that is not being deleted; which one, by the amount of the fault. */
  private pick(allowed: readonly string[], amount: number): KubeObject | undefined {
    const objects = this.parts.storage
      .list('')
      .entries.map(({ value }) => value)
      .filter(({ kind, metadata }) => allowed.includes(kind) && !metadata.deletionTimestamp)
      .filter(({ metadata }) => metadata.ownerReferences !== undefined);
    return objects[Math.floor(amount * objects.length)];
  }
}
