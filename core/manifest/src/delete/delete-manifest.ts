import { type Client, isClientError, jsonPatch, ignoreNotFound } from '@tektite/client';
import { type DynamicObject, isStatusError } from '@tektite/meta';
import { explainFailure } from '../apply/explain-failure.ts';
import { inParallel } from '../in-parallel.ts';
import type { ObjectResult, ProgressEvent } from '../apply/apply-result.ts';
import { orderObjects, type OrderOptions } from '../apply/order-objects.ts';
import { placeObjects } from '../apply/place-objects.ts';
import { read } from '../apply/apply-object.ts';
import type { Manifest } from '../manifest.ts';
import { describeObject, referenceTo } from '../object-identity.ts';
import type { ManifestItem } from '../origin.ts';
import { discoveredScopes } from '../scopes.ts';
import { waitForObjects, type WaitState } from '../wait/wait-for-objects.ts';

export interface DeleteManifestOptions extends OrderOptions {
  readonly namespace?: string;
  /** Default `Background`. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Default true. */
  readonly ignoreNotFound?: boolean;
  /** Which live objects may be deleted; others are kept. */
  readonly onlyIf?: (live: DynamicObject) => boolean;
  /** Namespaces take all that is in them along. Default false: they are kept, unless the manifest holds nothing else. */
  readonly deleteNamespaces?: boolean;
  /** Wait until objects are deleted before those they need are deleted. Default true. */
  readonly wait?: boolean;
  /** Of each step. Default a minute. */
  readonly timeoutMs?: number;
  /** Finalizers to remove from objects that still exist after that time: their controller may be deleted. */
  readonly forceFinalizers?: readonly string[];
  readonly dryRun?: boolean;
  readonly concurrency?: number;
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

export interface DeleteResult extends ObjectResult {
  /** The finalizers that hold an object. */
  readonly finalizers?: readonly string[];
}

export interface DeleteReport {
  readonly results: readonly DeleteResult[];
  readonly failed: readonly DeleteResult[];
}

/** Deletes the objects of a manifest, in the reverse order of {@link applyManifest}. What is not there counts as deleted. */
export async function deleteManifest(
  client: Client,
  manifest: Manifest,
  options: DeleteManifestOptions = {},
): Promise<DeleteReport> {
  const scopes = await discoveredScopes(client, manifest);
  const { namespace } = options;
  const placed = placeObjects(
    manifest.filter(({ metadata }) => Boolean(metadata.name)),
    {
      scopes,
      ...(namespace ? { namespace } : {}),
    },
  );
  const onlyNamespaces = placed.objects.every(({ kind }) => kind === 'Namespace');
  const deletion = new Deletion(client, options, options.deleteNamespaces ?? onlyNamespaces);
  for (const step of orderObjects(placed.items, options).toReversed())
    if (!(await deletion.runStep(step.name, step.entries.toReversed()))) break;
  const results = [...deletion.results.values()];
  return { results, failed: results.filter(({ action }) => action === 'failed' || action === 'stuck') };
}

class Deletion {
  readonly results = new Map<ManifestItem, DeleteResult>();
  private readonly client: Client;
  private readonly options: DeleteManifestOptions;
  private readonly deleteNamespaces: boolean;

  constructor(client: Client, options: DeleteManifestOptions, deleteNamespaces: boolean) {
    this.client = client;
    this.options = options;
    this.deleteNamespaces = deleteNamespaces;
  }

  /** Whether the steps after it may go on. */
  async runStep(name: string, entries: readonly ManifestItem[]): Promise<boolean> {
    const { onProgress, concurrency = 4, dryRun, wait = true } = this.options;
    onProgress?.({ type: 'step', name, objects: entries.map(({ object }) => referenceTo(object)) });
    await inParallel(entries, concurrency, (item) => this.deleteItem(item, name));
    if (wait && !dryRun) await this.waitForStep(entries);
    return entries.every((item) => !['failed', 'stuck'].includes(this.results.get(item)?.action ?? ''));
  }

  private async deleteItem(item: ManifestItem, step: string): Promise<void> {
    const { clock } = this.client;
    this.options.signal?.throwIfAborted();
    const began = clock.monotonic();
    const reference = referenceTo(item.object);
    let outcome: Pick<DeleteResult, 'action' | 'reason' | 'error'>;
    try {
      outcome = await this.deleteObject(item.object);
    } catch (error) {
      this.options.signal?.throwIfAborted();
      outcome = { action: 'failed', error: explainFailure(error, reference, item.origin) };
    }
    this.record(item, { reference, step, origin: item.origin, durationMs: clock.monotonic() - began, ...outcome });
  }

  private record(item: ManifestItem, result: DeleteResult): void {
    this.results.set(item, result);
    this.options.onProgress?.({ type: 'object', result });
  }

  private async deleteObject(object: DynamicObject): Promise<Pick<DeleteResult, 'action' | 'reason'>> {
    const {
      propagation = 'Background',
      gracePeriodSeconds,
      ignoreNotFound = true,
      dryRun,
      signal,
      onlyIf,
    } = this.options;
    if (object.kind === 'Namespace' && !this.deleteNamespaces)
      return { action: 'kept', reason: 'deleting it would delete everything in it' };
    try {
      if (onlyIf) {
        const live = await read(this.client, object, this.options);
        if (!live) return { action: 'absent' };
        if (!onlyIf(live)) return { action: 'kept', reason: 'it is not ours' };
      }
      await this.client.delete(object, referenceTo(object), {
        propagationPolicy: propagation,
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        ...(dryRun ? { dryRun } : {}),
        ...(signal ? { signal } : {}),
      });
      return { action: 'deleted' };
    } catch (error) {
      // Without its definition, a kind has no objects.
      if (isClientError(error, 'UNKNOWN_KIND')) return { action: 'absent' };
      if (ignoreNotFound && isStatusError(error, 'NotFound')) return { action: 'absent' };
      throw error;
    }
  }

  private async waitForStep(entries: readonly ManifestItem[]): Promise<void> {
    const deleted = entries.filter((item) => this.results.get(item)?.action === 'deleted');
    let left = await this.waitUntilDeleted(deleted);
    if (left.length > 0 && (await this.takeFinalizers(left))) left = await this.waitUntilDeleted(deleted);
    for (const { reference, finalizers = [] } of left) {
      const item = deleted.find(({ object }) => describeObject(object) === describeObject(reference));
      const result = item && this.results.get(item);
      if (!item || !result) continue;
      const reason = finalizers.length > 0 ? `held by the finalizers ${finalizers.join(', ')}` : 'it is still there';
      this.record(item, { ...result, action: 'stuck', reason, finalizers });
    }
  }

  private async waitUntilDeleted(items: readonly ManifestItem[]): Promise<readonly WaitState[]> {
    if (items.length === 0) return [];
    const { timeoutMs = 60_000, signal, onProgress } = this.options;
    const report = await waitForObjects(
      this.client,
      items.map(({ object }) => referenceTo(object)),
      {
        until: 'gone',
        timeoutMs,
        onChange: ({ reference, status, message }) => {
          if (status !== 'NotFound') onProgress?.({ type: 'waiting', reference, reason: message });
        },
        ...(signal ? { signal } : {}),
      },
    );
    return report.objects.filter(({ status }) => status !== 'NotFound');
  }

  /** Whether any was taken off. */
  private async takeFinalizers(states: readonly WaitState[]): Promise<boolean> {
    const { forceFinalizers = [] } = this.options;
    let taken = false;
    for (const { reference, finalizers = [] } of states) {
      const left = finalizers.filter((finalizer) => !forceFinalizers.includes(finalizer));
      if (left.length === finalizers.length) continue;
      const patch = jsonPatch([
        { op: 'test', path: '/metadata/finalizers', value: finalizers },
        { op: 'replace', path: '/metadata/finalizers', value: left },
      ]);
      await this.client.patch(reference, reference, patch).catch(ignoreNotFound);
      taken = true;
    }
    return taken;
  }
}
