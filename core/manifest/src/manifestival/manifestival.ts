import { goJson } from '@tektite/go';
import { type Client, type DeleteOptions, isClientError, keyOf } from '@tektite/client';
import { cloneJson, type DynamicObject, equalJson, isStatusError, parseJson } from '@tektite/meta';
import { read } from '../apply/apply-object.ts';
import { isMapping } from '../field-value.ts';
import type { Manifest } from '../manifest.ts';
import { compareMerge } from './merge-difference.ts';
import { mergeSchema, threeWayMerge } from './three-way-patch.ts';

/** The mark of objects that were created, and not found. */
const createdAnnotation = 'manifestival';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export interface LegacyApplyOptions {
  /** Default `manifestival`. */
  readonly fieldManager?: string;
  /** Try once more by brute force when the server calls a merged object invalid. Default true. */
  readonly overwrite?: boolean;
  /** Where it is kept what was applied. Default that of kubectl. */
  readonly lastAppliedAnnotation?: string;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Applies a manifest just as Manifestival does, for operators that are to behave as they did: object by object in the order of the
 * manifest, by a three-way merge on this side and an update; the first failure ends it. New code takes `applyManifest`.
 */
export async function legacyApply(client: Client, manifest: Manifest, options: LegacyApplyOptions = {}): Promise<void> {
  for (const object of manifest.objects) await applyOne(client, object, options);
}

async function applyOne(client: Client, object: DynamicObject, options: LegacyApplyOptions): Promise<void> {
  const {
    fieldManager = 'manifestival',
    overwrite = true,
    lastAppliedAnnotation = lastApplied,
    dryRun,
    signal,
  } = options;
  const call = { fieldManager, ...(dryRun ? { dryRun } : {}), ...(signal ? { signal } : {}) };
  const live = object.metadata.name ? await read(client, object, options) : undefined;
  if (!live) {
    await client.create(remembering(annotated(object, createdAnnotation, 'new'), lastAppliedAnnotation), call);
    return;
  }
  const wanted = remembering(object, lastAppliedAnnotation);
  const merged = threeWayMerge(appliedBefore(live, lastAppliedAnnotation), object, live);
  if (equalJson(merged, live)) return;
  const kept = live.metadata.annotations?.[createdAnnotation];
  const marked = kept === undefined ? merged : annotated(merged, createdAnnotation, kept);
  const memory = wanted.metadata.annotations?.[lastAppliedAnnotation] ?? '';
  const update = annotated(marked, lastAppliedAnnotation, memory);
  try {
    await client.update(update, call);
  } catch (error) {
    if (!overwrite || !isStatusError(error, 'Invalid')) throw error;
    await client.update(annotated(overlay(live, wanted) as DynamicObject, lastAppliedAnnotation, memory), call);
  }
}

export interface LegacyDeleteOptions
  extends Pick<DeleteOptions, 'gracePeriodSeconds' | 'preconditions' | 'propagationPolicy' | 'dryRun' | 'signal'> {
  /** Default true. */
  readonly ignoreNotFound?: boolean;
}

/** Deletes as Manifestival does: in the reverse order, and Namespaces only if it was this library that created them. */
export async function legacyDelete(
  client: Client,
  manifest: Manifest,
  options: LegacyDeleteOptions = {},
): Promise<void> {
  const { ignoreNotFound = true, ...deletion } = options;
  for (const object of manifest.objects.toReversed()) {
    try {
      const live = await read(client, object, options);
      if (!live) continue;
      if (live.kind === 'Namespace' && live.metadata.annotations?.[createdAnnotation] !== 'new') continue;
      await client.delete(object, keyOf(object), deletion);
    } catch (error) {
      const gone = isStatusError(error, 'NotFound') || isClientError(error, 'UNKNOWN_KIND');
      if (!gone || !ignoreNotFound) throw error;
    }
  }
}

/**
 * The changes of {@link legacyApply}, as merge patches: whole objects for missing ones, nothing for those that are up
 * to date.
 */
export async function legacyDryRun(
  client: Client,
  manifest: Manifest,
  options: Pick<LegacyApplyOptions, 'lastAppliedAnnotation' | 'signal'> = {},
): Promise<readonly object[]> {
  const patches: object[] = [];
  for (const object of manifest.objects) {
    const live = object.metadata.name ? await read(client, object, options) : undefined;
    if (!live) {
      patches.push(object);
      continue;
    }
    const before = appliedBefore(live, options.lastAppliedAnnotation ?? lastApplied);
    const merged = threeWayMerge(before, object, live);
    const patch = compareMerge(live, merged, mergeSchema(object));
    if (patch === undefined) continue;
    const { apiVersion, kind } = object;
    patches.push({
      ...patch,
      apiVersion,
      kind,
      metadata: { ...(isMapping(patch.metadata) ? patch.metadata : {}), name: object.metadata.name },
    });
  }
  return patches;
}

function annotated(object: DynamicObject, name: string, value: string): DynamicObject {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [name]: value } },
  };
}

/** The object with what it is in an annotation of itself. */
function remembering(object: DynamicObject, annotation: string): DynamicObject {
  const { [annotation]: _, ...others } = object.metadata.annotations ?? {};
  const plain = { ...object, metadata: { ...object.metadata, annotations: others } };
  const hasNone = Object.keys(others).length === 0 && object.metadata.annotations === undefined;
  return annotated(object, annotation, goJson(hasNone ? object : plain));
}

function appliedBefore(live: DynamicObject, annotation: string): Record<string, unknown> | undefined {
  const text = live.metadata.annotations?.[annotation];
  if (!text) return undefined;
  try {
    const value: unknown = parseJson(text);
    return isMapping(value) ? withoutMark(value) : undefined;
  } catch {
    // Edited by a user: then the last applied state is not known, and nothing is removed.
    return undefined;
  }
}

/** The annotation was stored with the object and must not be removed. */
function withoutMark(before: Record<string, unknown>): Record<string, unknown> {
  const metadata = before.metadata;
  if (!isMapping(metadata) || !isMapping(metadata.annotations)) return before;
  const { [createdAnnotation]: _, ...annotations } = metadata.annotations;
  const { annotations: __, ...rest } = metadata;
  return { ...before, metadata: Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest };
}

/** Brute force: mappings are laid over each other, lists element by element, cut to the length that is wanted. */
function overlay(live: unknown, wanted: unknown): unknown {
  if (isMapping(live) && isMapping(wanted)) {
    const result: Record<string, unknown> = { ...live };
    for (const key of Object.keys(wanted)) {
      const value = overlay(Object.hasOwn(live, key) ? live[key] : undefined, wanted[key]);
      Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return result;
  }
  if (Array.isArray(live) && Array.isArray(wanted) && live.length >= wanted.length)
    return wanted.map((each, index) => overlay(live[index], each));
  return cloneJson(wanted);
}
