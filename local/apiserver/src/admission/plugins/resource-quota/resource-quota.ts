import { isStatusError } from '@tektite/meta';
import type { ResourceQuota } from '@tektite/schema/kubernetes';
import type { Storage } from '../../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, isResource } from '../../admission.ts';
import { printAmounts } from './amounts.ts';
import { chargeQuotas } from './charge-quotas.ts';
import { claimEvaluator } from './claim-usage.ts';
import { countEvaluator } from './count-usage.ts';
import { podEvaluator } from './pod-usage.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';
import { serviceEvaluator } from './service-usage.ts';

/** Writes what is used of a quota, if the quota is still as it was read; throws a Conflict otherwise. */
export type WriteUsage = (quota: ResourceQuota, used: Readonly<Record<string, string>>) => Promise<void>;

const prefix = '/registry/resourcequotas/';
const attempts = 4;

/** Events come and go too fast to be counted; the others are not stored. */
const ignored = new Set(['events.', 'events.events.k8s.io', 'bindings.', 'componentstatuses.']);

/**
 * Refuses what would use more of something than the quotas of its namespace allow. What is let in is added to the quota's
 * status before it is stored, so that many small requests cannot add up to too much. Whether things later go, or never
 * came to be, is for a controller to find out.
 */
export class QuotaAdmission implements AdmissionPlugin, Disposable {
  readonly name = 'ResourceQuota';
  private readonly storage: Storage;
  private readonly writeUsage: WriteUsage;
  private readonly keysByNamespace = new Map<string, Set<string>>();
  private readonly evaluators = new Map<string, QuotaEvaluator>([
    ['pods.', podEvaluator],
    ['services.', serviceEvaluator],
    ['persistentvolumeclaims.', claimEvaluator],
  ]);
  /** Requests of a namespace take turns: each must see what those before it used. */
  private readonly turns = new Map<string, Promise<void>>();
  private readonly subscription: Disposable;

  constructor(storage: Storage, writeUsage: WriteUsage) {
    this.storage = storage;
    this.writeUsage = writeUsage;
    for (const { key, value } of storage.list(prefix).entries) this.index(key, value.metadata.namespace ?? '', false);
    this.subscription = storage.watch(prefix, storage.revision, ({ key, value, deleted }) =>
      this.index(key, value.metadata.namespace ?? '', deleted),
    );
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    const { namespace, object } = request;
    if (!object || request.kind || !this.keysByNamespace.has(namespace) || isResource(request, '', 'namespaces'))
      return;
    const name = `${request.resource.plural}.${request.resource.group}`;
    if (ignored.has(name)) return;
    const evaluator = this.evaluatorOf(name, request);
    if (!evaluator.handles(request)) return;
    return this.takeTurn(namespace, () => this.check(request, evaluator));
  }

  [Symbol.dispose](): void {
    this.subscription[Symbol.dispose]();
  }

  private index(key: string, namespace: string, deleted: boolean): void {
    const keys = this.keysByNamespace.get(namespace) ?? new Set();
    if (deleted) keys.delete(key);
    else keys.add(key);
    if (keys.size > 0) this.keysByNamespace.set(namespace, keys);
    else this.keysByNamespace.delete(namespace);
  }

  private evaluatorOf(name: string, { resource }: AdmissionRequest): QuotaEvaluator {
    let evaluator = this.evaluators.get(name);
    if (!evaluator) this.evaluators.set(name, (evaluator = countEvaluator(resource.group, resource.plural)));
    return evaluator;
  }

  private async takeTurn(namespace: string, action: () => Promise<void>): Promise<void> {
    const turn = (this.turns.get(namespace) ?? Promise.resolve()).then(action);
    const settled = turn.catch(() => {});
    this.turns.set(namespace, settled);
    try {
      await turn;
    } finally {
      if (this.turns.get(namespace) === settled) this.turns.delete(namespace);
    }
  }

  private async check(request: AdmissionRequest, evaluator: QuotaEvaluator): Promise<void> {
    let keys = [...(this.keysByNamespace.get(request.namespace) ?? [])].sort();
    for (let attempt = 1; keys.length > 0; attempt++) {
      const failed: string[] = [];
      for (const { quota, used } of chargeQuotas(this.read(keys), request, evaluator)) {
        if (request.dryRun) continue;
        try {
          await this.writeUsage(quota, printAmounts(used));
        } catch (error) {
          // A concurrent write of the quota. Quotas that took the charge keep it; the others are retried.
          if (!isStatusError(error, 'Conflict') || attempt >= attempts) throw error;
          failed.push(`${prefix}${quota.metadata.namespace}/${quota.metadata.name}`);
        }
      }
      keys = failed;
    }
  }

  private read(keys: readonly string[]): ResourceQuota[] {
    return keys.flatMap((key) => (this.storage.latest(key)?.value as ResourceQuota | undefined) ?? []);
  }
}
