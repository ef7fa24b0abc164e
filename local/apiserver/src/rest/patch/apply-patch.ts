import { DecodeError, formatGoValue, isDecodeError } from '@tektite/go';
import { formatApiVersion, invalid, invalidObjectError, type KubeObject, parseJson } from '@tektite/meta';
import { findBuiltinDefinition } from '@tektite/schema/kubernetes';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from '@tektite/schema/patch';
import { decodeObject } from '../../codec/decode-object.ts';
import { readVersionKind } from '../../codec/version-kind.ts';
import { keepClearedManagers } from '../../store/draft-metadata.ts';
import type { Decoded, Draft } from '../../registry/resource.ts';
import type { PatchOptions } from '../../request/options.ts';
import type { RequestContext } from '../request-context.ts';
import type { PatchBody } from './patch-body.ts';
import type { PatchType } from './patch-type.ts';
import { checkName, parsed, type Patched } from './patched.ts';
import { restoreMessage, wrapIntegers } from './unstructured-conversion.ts';
import { sortedText } from './patched-text.ts';

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
    for (const strictError of [...body.strictErrors, ...decoded.strictErrors]) context.warnings.add(strictError);
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
    decoded = resource.decode(parsed(type === 'strategic' ? wrapIntegers(resource.schema, typed) : typed, resource));
    if (type === 'strategic') Object.assign(decoded.object, { kind, apiVersion: formatApiVersion({ group, version }) });
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw refuse(
      type === 'strategic' ? restoreMessage(error) : firstError(resource, patched, body.value, error.message),
    );
  }
  if (options.fieldValidation === 'Strict') {
    const strictErrors = [...body.strictErrors, ...decoded.strictErrors];
    if (strictErrors.length > 0) throw refuse(`strict decoding error: ${strictErrors.join(', ')}`);
  }
  return decoded;
}

/** Upstream reads the patched text, in which keys of maps are sorted: of several errors it finds another one first. */
function firstError(resource: Patched, patched: unknown, patch: unknown, message: string): string {
  if (resource.custom) return message;
  try {
    resource.decode(parsed(withKind(resource, parseJson(sortedText(resource, patched, patch))), resource));
  } catch (error) {
    if (isDecodeError(error)) return error.message;
  }
  return message;
}

/** A patched object without a kind is of the kind of the resource. */
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
