import {
  badRequestError,
  type Clock,
  cloneJson,
  conflictError,
  formatApiVersion,
  formatTime,
  invalid,
  invalidObjectError,
  type KubeObject,
  parseApiVersion,
  StatusError,
} from '@tektite/meta';
import { findBuiltinDefinition } from '@tektite/schema/kubernetes';
import { applyConfiguration } from '../apply/field-manager.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, formatGoValue } from '@tektite/schema/patch';
import { managedResource } from '../registry/managed-resource.ts';
import { metadataOf, setManagedFields } from '../registry/draft-metadata.ts';
import type { ObjectStore } from '../registry/object-store.ts';
import type { Written } from '../registry/update-request.ts';
import { DecodeError, TypeMismatch } from '../codec/decode-error.ts';
import { decodeObject } from '../codec/decode-object.ts';
import type { JsonDocument } from '../codec/json-document.ts';
import { readVersionKind } from '../codec/version-kind.ts';
import { type Decoded, type Draft, errorTarget, type Resource } from '../registry/resource.ts';
import { type PatchOptions, parsePatchOptions } from './options.ts';
import { type PatchBody, readPatchBody } from './patch-body.ts';
import { patchLabelsAlone, patchStatusAlone } from './partial-patch.ts';
import { mediaTypeOf, unsupportedMediaTypeError } from './read-body.ts';
import { fieldManagerOf, type RequestContext } from './request-context.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** Answers a PATCH of an object or of a subresource that is the object itself (`/status`). */
export async function patchObject(
  parts: { readonly objects: ObjectStore; readonly clock: Clock },
  context: RequestContext,
  resource: Resource,
): Promise<Written> {
  const type = patchTypeOf(context, resource);
  const { namespace, name, subresource } = context.info;
  const options = parsePatchOptions(context.request.query, type === 'apply');
  const body = readPatchBody(context.request.body ?? new Uint8Array(), type);
  const apply = type === 'apply';
  const change = apply
    ? applyChange(parts.clock, context, resource, body, options)
    : patchChange(context, resource, type, body, options);
  return parts.objects.update(
    resource,
    {
      namespace,
      name,
      subresource,
      change,
      createIfAbsent: apply && subresource === '',
      createOptions: { ...options.wire, kind: 'CreateOptions' },
      ownManagedFields: apply,
    },
    {
      user: context.user,
      fieldManager: fieldManagerOf(context, options.fieldManager),
      dryRun: options.dryRun,
      options: options.wire,
      warn: (text) => context.warnings.add(text),
    },
  );
}

/** Which kind of patch the Content-Type announces; custom resources know no strategic merge. */
export function patchTypeOf(context: RequestContext, resource: Resource): PatchType {
  const type = patchTypes[mediaTypeOf(context.request.headers['content-type'])];
  if (type === undefined && !resource.custom) {
    throw new StatusError({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
      details: {},
    });
  }
  if (type === undefined || (type === 'strategic' && resource.custom)) {
    throw unsupportedMediaTypeError(Object.keys(patchTypes).filter((media) => patchTypes[media] !== 'strategic'));
  }
  return type;
}

/** JSON, merge and strategic patches: the patched text is read as if it had been sent. */
function patchChange(
  context: RequestContext,
  resource: Resource,
  type: Exclude<PatchType, 'apply'>,
  body: PatchBody,
  options: PatchOptions,
) {
  const { subresource } = context.info;
  const patchPart = (how: 'merge' | 'strategic', old: KubeObject) => {
    if (subresource === 'status') return patchStatusAlone(resource, how, old, body.value);
    return subresource === '' && how === 'merge' ? patchLabelsAlone(resource, old, body.value) : undefined;
  };
  return (old: KubeObject | undefined): Draft => {
    const object = old as KubeObject;
    const quick = type === 'json' || body.complaints.length > 0 ? undefined : patchPart(type, object);
    return quick ?? applyPatch(context, resource, type, object, body, options);
  };
}

/** What a patch is applied to: a resource, or the kind of a subresource's body. */
export type Patched = Pick<Resource, 'group' | 'version' | 'kind' | 'custom' | 'schema' | 'decode'>;

/** Applies a patch, and reads the result as strictly as the request asks. */
export function applyPatch(
  context: RequestContext,
  target: Patched,
  type: Exclude<PatchType, 'apply'>,
  old: KubeObject,
  body: PatchBody,
  options: PatchOptions,
): Draft {
  const patched = patchValue(target, type, old, body.value);
  const decoded = decodePatched(target, type, patched, body, options);
  keepClearedManagers(patched, decoded.object);
  checkName(context, decoded.object);
  if (options.fieldValidation !== 'Ignore')
    for (const complaint of [...body.complaints, ...decoded.complaints]) context.warnings.add(complaint);
  return decoded.object;
}

function patchValue(resource: Patched, type: Exclude<PatchType, 'apply'>, old: KubeObject, patch: unknown): unknown {
  if (type === 'json') return applyJsonPatch(old, patch);
  if (type === 'merge') return applyMergePatch(old, patch);
  return applyStrategicMergePatch(resource.schema, old, patch);
}

function decodePatched(
  resource: Patched,
  type: PatchType,
  patched: unknown,
  body: PatchBody,
  options: PatchOptions,
): Decoded {
  const refuse = (message: string) =>
    invalidObjectError('', '', '', [
      invalid(
        'patch',
        type === 'strategic' ? formatGoValue(body.value) : sortedText(resource, patched, body.value),
        message,
      ),
    ]);
  let decoded: Decoded;
  try {
    // A strategic patch is applied to a struct, which has no kind that could be changed.
    const { kind, group, version } = resource;
    const typed = resource.custom || type === 'strategic' ? patched : withKind(resource, patched);
    if (!resource.custom) checkKind(resource, typed, type);
    decoded = resource.decode(parsed(typed, resource));
    if (type === 'strategic') Object.assign(decoded.object, { kind, apiVersion: formatApiVersion({ group, version }) });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw refuse(type === 'strategic' ? restoreMessage(error) : error.message);
  }
  if (options.fieldValidation === 'Strict') {
    const complaints = [...body.complaints, ...decoded.complaints];
    if (complaints.length > 0) throw refuse(`strict decoding error: ${complaints.join(', ')}`);
  }
  return decoded;
}

/** Strategic patches are read by another part of upstream, with words of its own for a value of a wrong type. */
function restoreMessage(error: DecodeError): string {
  if (!(error instanceof TypeMismatch)) return error.message;
  const { found, goType } = error;
  const source =
    { object: 'map', array: 'slice', number: 'int64' }[found] ?? (found.startsWith('number ') ? 'float64' : found);
  if (goType.startsWith('[]')) return `cannot restore slice from ${source}`;
  if (goType.startsWith('map[')) return `cannot restore map from ${source}`;
  if (goType.includes('.')) return `cannot restore struct from: ${source}`;
  // Go converts numbers to numbers and to strings; anything else is no match at all.
  return source.endsWith('64') && goType !== 'bool'
    ? `cannot convert ${source} to ${goType}`
    : `unrecognized type: ${goType}`;
}

/** What does not say what it is, is what it is meant to be. */
function withKind(resource: Patched, patched: unknown): unknown {
  if (typeof patched !== 'object' || patched === null) return patched;
  const { apiVersion, kind } = patched as { apiVersion?: unknown; kind?: unknown };
  return {
    ...patched,
    ...(apiVersion ? {} : { apiVersion: formatApiVersion(resource) }),
    ...(kind ? {} : { kind: resource.kind }),
  };
}

/** A patch may not turn an object into one of another kind; upstream notices when it reads the result as that. */
function checkKind(resource: Patched, patched: unknown, type: PatchType): void {
  if (type === 'strategic') return;
  const named = readVersionKind(patched);
  const { kind } = named;
  const apiVersion = formatApiVersion(named);
  if (apiVersion === formatApiVersion(resource) && kind === resource.kind) return;
  const definition = findBuiltinDefinition(named.group, named.version, kind);
  if (!definition) {
    const scheme = 'pkg/api/legacyscheme/scheme.go:30';
    throw new DecodeError(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`);
  }
  decodeObject(definition, parsed(patched, resource));
  const inner = `${resource.group.split('.')[0] || 'core'}.${resource.kind}`;
  throw new DecodeError(`converting (${named.version}.${kind}) to (${inner}): unknown conversion`);
}

/** Reading drops empty lists, but an empty list of managers means something: forget them. */
function keepClearedManagers(raw: unknown, draft: Draft): void {
  const entries = (raw as { metadata?: { managedFields?: unknown } }).metadata?.managedFields;
  if (Array.isArray(entries) && entries.length === 0) metadataOf(draft).managedFields = [];
}

/** Custom resources are read in place, so that they need a copy of their own; other kinds are read into new objects. */
function parsed(value: unknown, { custom }: Patched): JsonDocument {
  return { value: custom ? cloneJson(value) : value, hasNumberTexts: false };
}

/**
 * The patched text as upstream shows it in errors. Go writes maps with sorted keys: what a patch went through has become
 * maps, as all of a custom resource is; the rest keeps the order of its fields.
 */
function sortedText(resource: Patched, value: unknown, patch: unknown): string {
  return JSON.stringify(resource.custom ? sortKeys(value) : sortTouched(value, touchedBy(patch)));
}

/** Where a patch goes: objects within objects. */
interface Touched {
  [key: string]: Touched | undefined;
}

function touchedBy(patch: unknown): Touched {
  if (Array.isArray(patch)) return touchedByOperations(patch);
  const touched: Touched = Object.create(null) as Touched;
  if (typeof patch !== 'object' || patch === null) return touched;
  for (const [key, value] of Object.entries(patch))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) touched[key] = touchedBy(value);
  return touched;
}

function touchedByOperations(operations: readonly unknown[]): Touched {
  const root: Touched = Object.create(null) as Touched;
  for (const operation of operations) {
    const { path = '' } = operation as { path?: string };
    let at = root;
    for (const segment of String(path).split('/').slice(1, -1)) {
      const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
      at = at[key] ??= Object.create(null) as Touched;
    }
  }
  return root;
}

function sortTouched(value: unknown, touched: Touched | undefined): unknown {
  if (!touched || typeof value !== 'object' || value === null) return sortOwners(value);
  if (Array.isArray(value)) return value.map((item, index) => sortTouched(item, touched[String(index)]));
  return sortEntries(value, (key, item) => sortTouched(item, touched[key]));
}

/** The record of who owns what is sorted wherever it is shown. */
function sortOwners(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { managedFields } = value as { managedFields?: readonly { fieldsV1?: unknown }[] };
  if (!Array.isArray(managedFields)) return value;
  return { ...value, managedFields: managedFields.map((entry) => ({ ...entry, fieldsV1: sortKeys(entry.fieldsV1) })) };
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(sortKeys) : sortEntries(value, (_, item) => sortKeys(item));
}

function sortEntries(value: object, map: (key: string, item: unknown) => unknown): unknown {
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((key) => [key, map(key, fields[key])]),
  );
}

function applyChange(
  clock: Clock,
  context: RequestContext,
  resource: Resource,
  body: PatchBody,
  options: PatchOptions,
) {
  const config = body.value as Draft;
  checkConfiguration(context, resource, config);
  if (options.fieldValidation !== 'Ignore' && body.complaints.length > 0) {
    if (options.fieldValidation === 'Strict')
      throw badRequestError(`error strict decoding YAML: ${body.complaints.join(', ')}`);
    for (const complaint of body.complaints) context.warnings.add(complaint);
  }
  return (old: KubeObject | undefined): Draft => {
    if (!old && config.metadata?.uid) {
      throw conflictError(
        errorTarget(resource),
        context.info.name,
        `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`,
      );
    }
    const live = (old ?? resource.emptyObject) as Draft;
    const write = { manager: fieldManagerOf(context, options.fieldManager), time: formatTime(clock.now()) };
    const applied = applyConfiguration(
      managedResource(resource, context.info.subresource),
      live,
      config,
      write,
      options.force,
    );
    const decoded = decodeApplied(resource, applied.object);
    checkName(context, decoded);
    setManagedFields(decoded, applied.managedFields);
    return decoded;
  };
}

function decodeApplied(resource: Resource, object: unknown): Draft {
  try {
    return resource.decode(parsed(object, resource)).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new StatusError({ code: 500, message: `failed to convert new typed object: ${error.message}` });
  }
}

function checkConfiguration(context: RequestContext, resource: Resource, config: Draft): void {
  const { group, version } = parseApiVersion(textOf(config.apiVersion)) ?? { group: '', version: '' };
  const kind = textOf(config.kind);
  if (group !== resource.group || version !== resource.version || kind !== resource.kind)
    throw badRequestError(`invalid object type: ${group}/${version}, Kind=${kind}`);
  config.metadata ??= {};
  // Metadata that is no object has no name; what it is instead is said with the other mistakes of the configuration.
  if (typeof config.metadata === 'object' && !Array.isArray(config.metadata)) checkName(context, config, true);
}

/** What should be a text but need not be one. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function checkName(context: RequestContext, draft: Draft, optional = false): void {
  const name: unknown = metadataOf(draft).name;
  const expected = context.info.name;
  if (optional && name !== undefined && typeof name !== 'string') return;
  if ((name === undefined || name === '') && optional) metadataOf(draft).name = expected;
  else if (name === undefined || name === '') {
    throw badRequestError(
      `the name of the object (${expected} based on URL) was undeterminable: name must be provided`,
    );
  } else if (name !== expected) {
    throw badRequestError(`the name of the object (${textOf(name)}) does not match the name on the URL (${expected})`);
  }
}
