import { type Client, isClientError } from '@tektite/client';
import { type DynamicObject, sleep } from '@tektite/meta';
import { recordRevision } from '../history/history.ts';
import type { Manifest } from '../manifest.ts';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, groupKindOf, referenceTo } from '../object-identity.ts';
import type { ManifestItem } from '../origin.ts';
import { discoveredScopes } from '../scopes.ts';
import { setLabels } from '../transform/set-metadata.ts';
import { waitForObjects } from '../wait/wait-for-objects.ts';
import { applyObject, type ApplyObjectOptions, read } from './apply-object.ts';
import type { ApplyReport, ObjectResult, ProgressEvent } from './apply-result.ts';
import { type ApplySet, applySetId, contentsOf, partOfLabel, readSet, unionOf, writeSet } from '../set/apply-set.ts';
import { explainFailure } from './explain-failure.ts';
import { inParallel } from '../in-parallel.ts';
import { orderObjects, type OrderOptions } from './order-objects.ts';
import { placeObjects, refuseLabel } from './place-objects.ts';
import { unserved } from './served-definitions.ts';
import { pruneCandidates, pruneObject, type PruneOptions } from './prune.ts';

export interface ApplyManifestOptions extends OrderOptions {
  /** Who owns the fields. Default `tektite`. */
  readonly fieldManager?: string;
  /** For objects that name none. Default `default`. */
  readonly namespace?: string;
  /** Take over fields that others own. Default false: conflicts are failures. */
  readonly force?: boolean;
  readonly forceFields?: readonly string[];
  readonly recreate?: readonly string[];
  readonly mode?: ApplyObjectOptions['mode'];
  readonly migrateFrom?: readonly string[];
  readonly dryRun?: boolean;
  /** The part of the objects in the results. Default `whole`; `metadata` does not transfer the objects again. */
  readonly resultObjects?: 'whole' | 'metadata';
  /** Objects of a step at once. Default 4. */
  readonly concurrency?: number;
  /** Default `stop`: steps after a failure are not started. */
  readonly onFailure?: 'stop' | 'continue';
  /** The set that the objects belong to; what was in it and is not any more is pruned. */
  readonly set?: ApplySet;
  /** Default true, with a set. */
  readonly prune?: boolean;
  readonly pruneKinds?: readonly string[];
  readonly propagation?: PruneOptions['propagation'];
  /** How long a definition may take to be established, an unknown kind to appear, and an old object to go. Default 30 seconds. */
  readonly patienceMs?: number;
  /** Whether the history of the set gets what was applied, and what it says of it. Default: what was done. */
  readonly history?: false | { readonly why?: string; readonly keep?: number };
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/**
 * Makes a cluster have what a manifest says, by server-side apply.
 *
 * Flow: with a set, its parent first says everything that is or will be in the set; then phase by phase the objects are applied,
 * and definitions are waited for before anything that may need them; then what left the set is deleted; then the parent says what
 * is in it, and its history gets a revision.
 *
 * Guarantees
 * - Stopped anywhere and run again, it ends as if it had not been stopped.
 * - Nothing is pruned unless everything was applied.
 * - Fields of others are not touched, unless `force` or `forceFields` says so.
 *
 * Rejects with a ManifestError: of the failure, when there was one and nothing was applied; else `PARTIAL`, with all results.
 *
 * @example
 * await applyManifest(client, manifest, { set: { name: 'tekton', namespace: 'tekton-pipelines' } });
 */
export async function applyManifest(
  client: Client,
  manifest: Manifest,
  options: ApplyManifestOptions = {},
): Promise<ApplyReport> {
  const report = await attemptApply(client, manifest, options);
  const [first] = report.failed;
  if (!first?.error) return report;
  const done = report.results.filter(({ action }) => action !== 'failed' && action !== 'skipped').length;
  if (done === 0 && report.failed.length === 1) throw first.error;
  const others = report.failed.length - 1;
  const more = others > 0 ? ` (and ${others} more)` : '';
  throw new ManifestError('PARTIAL', `${done} objects were applied; then: ${first.error.message}${more}`, {
    cause: first.error,
    details: report,
  });
}

/** The same, with failures in the report instead of thrown. Only what stops everything is thrown. */
export async function attemptApply(
  client: Client,
  manifest: Manifest,
  options: ApplyManifestOptions = {},
): Promise<ApplyReport> {
  return new Application(client, options).run(manifest);
}

/** The manifest as {@link applyManifest} sends it. */
export async function preparedManifest(
  client: Client,
  manifest: Manifest,
  { namespace, set }: Pick<ApplyManifestOptions, 'namespace' | 'set'>,
): Promise<Manifest> {
  const scopes = await discoveredScopes(client, manifest);
  const placed = placeObjects(manifest, { scopes, ...(namespace ? { namespace } : {}) });
  if (!set) return placed;
  refuseLabel(placed, partOfLabel);
  return placed.transform(setLabels({ [partOfLabel]: applySetId(set) }));
}

const discoveryPauseMs = 100;

/** One run of an apply. */
class Application {
  private readonly client: Client;
  private readonly options: ApplyManifestOptions;
  private readonly objectOptions: ApplyObjectOptions;
  private readonly results = new Map<ManifestItem, ObjectResult>();
  private readonly patienceMs: number;
  /** The containers of other objects that this run created: namespaces, and kinds. */
  private readonly made = new Set<string>();
  private failures = 0;

  constructor(client: Client, options: ApplyManifestOptions) {
    this.client = client;
    this.options = options;
    this.patienceMs = options.patienceMs ?? 30_000;
    this.objectOptions = {
      fieldManager: options.fieldManager ?? 'tektite',
      force: options.force ?? false,
      forceFields: options.forceFields ?? [],
      recreate: options.recreate ?? [],
      mode: options.mode ?? 'server',
      dryRun: options.dryRun ?? false,
      metadataOnly: options.resultObjects === 'metadata',
      goneTimeoutMs: this.patienceMs,
      ...(options.migrateFrom ? { migrateFrom: options.migrateFrom } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    };
  }

  async run(manifest: Manifest): Promise<ApplyReport> {
    const { set, dryRun } = this.options;
    const prepared = await preparedManifest(this.client, manifest, this.options);
    const steps = orderObjects(prepared.items, this.options);
    const wanted = set ? contentsOf(prepared, set) : undefined;
    const before = set ? await readSet(this.client, set, this.options.signal) : undefined;
    const all = before && wanted ? unionOf(before, wanted) : wanted;
    let announced = false;
    const defined = new Set(prepared.objects.flatMap(definedGroupKind));
    for (const { name, entries } of steps) {
      // The parent may be in a namespace that the manifest brings.
      if (set && all && !announced && !dryRun && !(await this.isParentHomeless(set, entries))) {
        await this.writeSet(set, all);
        announced = true;
      }
      this.options.onProgress?.({ type: 'step', name, objects: entries.map(({ object }) => referenceTo(object)) });
      await inParallel(entries, this.options.concurrency ?? 4, (item) => this.applyItem(item, name, defined));
      if (this.hasFailed() && (this.options.onFailure ?? 'stop') === 'stop') break;
      if (!dryRun) await this.establish(entries, name);
    }
    this.skipRest(prepared.items);
    const results = prepared.items.map((item) => this.results.get(item) as ObjectResult);
    if (!set || !wanted || !all || this.hasFailed()) return report(results, []);
    if (!announced && !dryRun) await this.writeSet(set, all);
    const pruned = (this.options.prune ?? true) ? await this.prune(set, all, results) : [];
    const kept = pruned.filter(({ action }) => action === 'kept' || action === 'failed');
    if (!dryRun && (this.options.prune ?? true)) await this.shrink(set, wanted, kept);
    const done = report(results, pruned);
    if (dryRun || done.failed.length > 0) return done;
    const revision = await this.remember(set, manifest, done);
    return revision === undefined ? done : { ...done, revision };
  }

  private async remember(set: ApplySet, manifest: Manifest, done: ApplyReport): Promise<number | undefined> {
    const { history = {}, signal } = this.options;
    if (history === false) return undefined;
    const summary = history.why ? `${history.why}: ${summaryOf(done)}` : summaryOf(done);
    const { keep } = history;
    return recordRevision(this.client, set, manifest, {
      summary,
      ...(keep === undefined ? {} : { keep }),
      ...(signal ? { signal } : {}),
    });
  }

  private writeSet(set: ApplySet, contents: Parameters<typeof writeSet>[2]) {
    const { fieldManager, signal } = this.objectOptions;
    return writeSet(this.client, set, contents, { fieldManager, ...(signal ? { signal } : {}) });
  }

  /** Whether the step is to make the namespace of the parent, and there is none yet. */
  private async isParentHomeless(set: ApplySet, entries: readonly ManifestItem[]): Promise<boolean> {
    const own = entries.find(({ object }) => object.kind === 'Namespace' && object.metadata.name === set.namespace);
    if (!own) return false;
    return (await read(this.client, own.object, this.options)) === undefined;
  }

  private async shrink(set: ApplySet, wanted: ReturnType<typeof contentsOf>, kept: readonly ObjectResult[]) {
    const left = {
      groupKinds: kept.map(({ reference }) => groupKindOf(reference)),
      namespaces: kept
        .map(({ reference }) => reference.namespace ?? '')
        .filter((namespace) => namespace !== '' && namespace !== set.namespace),
    };
    await this.writeSet(set, unionOf(wanted, left));
  }

  private async prune(
    set: ApplySet,
    contents: Parameters<typeof pruneCandidates>[2],
    results: readonly ObjectResult[],
  ) {
    const { propagation, pruneKinds, dryRun, signal, onProgress } = this.options;
    const options: PruneOptions = {
      ...(pruneKinds ? { alsoKinds: pruneKinds } : {}),
      ...(propagation ? { propagation } : {}),
      ...(dryRun ? { dryRun } : {}),
      ...(signal ? { signal } : {}),
    };
    const uids = new Set(results.map(({ object }) => object?.metadata.uid ?? ''));
    const candidates = await pruneCandidates(this.client, set, contents, uids, options);
    if (candidates.length === 0) return [];
    onProgress?.({ type: 'step', name: 'prune', objects: candidates.map(({ object }) => referenceTo(object)) });
    const pruned: ObjectResult[] = [];
    for (const candidate of candidates) {
      const began = this.client.clock.monotonic();
      const { object } = candidate;
      const outcome = await pruneObject(this.client, candidate, options);
      const durationMs = this.client.clock.monotonic() - began;
      const result: ObjectResult = { reference: referenceTo(object), step: 'prune', durationMs, object, ...outcome };
      pruned.push(result);
      onProgress?.({ type: 'object', result });
    }
    return pruned;
  }

  private async applyItem(item: ManifestItem, step: string, defined: ReadonlySet<string>): Promise<void> {
    this.options.signal?.throwIfAborted();
    if (this.hasFailed() && (this.options.onFailure ?? 'stop') === 'stop') return;
    const { object, origin } = item;
    const began = this.client.clock.monotonic();
    const about = () => ({ step, origin, durationMs: this.client.clock.monotonic() - began });
    let result: ObjectResult;
    try {
      const applied = await this.whenKnown(defined.has(groupKindOf(object)), () =>
        applyObject(this.client, object, { ...this.objectOptions, isNew: this.isNew(object) }),
      );
      if (applied.action === 'created') this.noteMade(object);
      result = { reference: referenceTo(applied.object), ...applied, ...about() };
    } catch (error) {
      this.options.signal?.throwIfAborted();
      const reference = referenceTo(object);
      result = { reference, action: 'failed', error: explainFailure(error, reference, origin), ...about() };
    }
    this.record(item, result);
    this.options.onProgress?.({ type: 'object', result });
  }

  /** Kinds that the manifest itself defines may take a while to be served. */
  private async whenKnown<T>(isDefinedHere: boolean, work: () => Promise<T>): Promise<T> {
    const until = this.client.clock.monotonic() + this.patienceMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const mayCome = isDefinedHere && !this.options.dryRun && this.client.clock.monotonic() < until;
        if (!isClientError(error, 'UNKNOWN_KIND') || !mayCome) throw error;
        await sleep(this.client.clock, discoveryPauseMs, this.options.signal);
        this.client.discovery.forget();
      }
    }
  }

  /** Waits until the definitions of a step are served. */
  private async establish(entries: readonly ManifestItem[], step: string): Promise<void> {
    const definitions = entries.filter(
      (item) => item.object.kind === 'CustomResourceDefinition' && this.results.get(item)?.action !== 'failed',
    );
    if (definitions.length === 0) return;
    const missing = await unserved(this.client, definitions);
    if (missing.length === 0) return;
    const report = await waitForObjects(
      this.client,
      missing.map(({ object }) => referenceTo(object)),
      {
        timeoutMs: this.patienceMs,
        failFast: true,
        ...(this.options.signal ? { signal: this.options.signal } : {}),
      },
    );
    this.client.discovery.forget();
    for (const { reference, status, message } of report.objects) {
      if (status === 'Current') continue;
      const item = missing.find(({ object }) => object.metadata.name === reference.name) as ManifestItem;
      const text = `${describeObject(reference)}: it is not established: ${message}`;
      const error = new ManifestError('NOT_ESTABLISHED', text, { details: { status, message } });
      this.record(item, { reference, action: 'failed', error, step, durationMs: 0, origin: item.origin });
    }
  }

  private noteMade(object: DynamicObject): void {
    if (object.apiVersion === 'v1' && object.kind === 'Namespace') this.made.add(`namespace ${object.metadata.name}`);
    for (const kind of definedGroupKind(object)) this.made.add(`kind ${kind}`);
  }

  private isNew(object: DynamicObject): boolean {
    if (this.made.size === 0 || this.options.dryRun) return false;
    const { namespace } = object.metadata;
    return this.made.has(`kind ${groupKindOf(object)}`) || (!!namespace && this.made.has(`namespace ${namespace}`));
  }

  private skipRest(items: readonly ManifestItem[]): void {
    for (const item of items) {
      if (this.results.has(item)) continue;
      const reference = referenceTo(item.object);
      const reason = 'something before it failed';
      this.results.set(item, { reference, action: 'skipped', reason, step: '', durationMs: 0, origin: item.origin });
    }
  }

  private record(item: ManifestItem, result: ObjectResult): void {
    if (result.action === 'failed') this.failures++;
    this.results.set(item, result);
  }

  private hasFailed(): boolean {
    return this.failures > 0;
  }
}

function report(results: readonly ObjectResult[], pruned: readonly ObjectResult[]): ApplyReport {
  return { results, pruned, failed: [...results, ...pruned].filter(({ action }) => action === 'failed') };
}

/** `3 created, 1 pruned`, in the order in which they came up. */
function summaryOf({ results, pruned }: ApplyReport): string {
  const counts = new Map<string, number>();
  for (const { action } of [...results, ...pruned]) counts.set(action, (counts.get(action) ?? 0) + 1);
  return [...counts].map(([action, count]) => `${count} ${action}`).join(', ');
}

function definedGroupKind(object: DynamicObject): string[] {
  if (object.kind !== 'CustomResourceDefinition') return [];
  const { group, names } = (object.spec ?? {}) as { group?: string; names?: { kind?: string } };
  return group && names?.kind ? [`${names.kind}.${group}`] : [];
}
