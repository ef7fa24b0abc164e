import { type JsonDocument, isDecodeError } from '@tektite/go';
import {
  badRequestError,
  formatApiVersion,
  type KubeObject,
  type ManagedFieldsEntry,
  type StatusError,
} from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { builtinSchema, findBuiltinDefinition } from '@tektite/schema/kubernetes';
import { updateManagedFields } from '../../apply/field-manager.ts';
import { setOf } from '../../apply/field-set.ts';
import { decodeObject, normalizeObject } from '../../codec/decode-object.ts';
import { readBody } from '../../codec/read-body.ts';
import { strictErrorWarnings } from '../../codec/strict-error-warnings.ts';
import type { Draft } from '../../registry/resource.ts';
import { fieldManagerOf, type RequestContext } from '../request-context.ts';

/** The kind of a body that is not the resource's own: a Scale, a Binding, a TokenRequest. */
export interface BodyKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Reads such a body. An empty object is one with nothing set; a body of another kind is refused. */
export function readTypedBody<T extends object>(context: RequestContext, kind: BodyKind): T {
  const { body, headers } = context.request;
  const document = readBody(body ?? new Uint8Array(), headers['content-type'] ?? 'application/json', {
    ...kind,
    custom: false,
  });
  const { value, strictErrors } = decodeTyped<T>(document, kind);
  const validation = context.request.query.get('fieldValidation') || 'Warn';
  if (validation === 'Strict' && strictErrors.length > 0)
    throw cannotHandle(kind, `strict decoding error: ${strictErrors.join(', ')}`);
  if (validation === 'Warn')
    for (const warning of strictErrors.flatMap(strictErrorWarnings)) context.warnings.add(warning);
  return value;
}

/** A body as its kind, and what a strict reader would refuse in it. */
interface DecodedBody<T> {
  readonly value: T;
  readonly strictErrors: readonly string[];
}

function decodeTyped<T extends object>(document: JsonDocument, kind: BodyKind): DecodedBody<T> {
  const definition = findBuiltinDefinition(kind.group, kind.version, kind.kind);
  if (!definition) throw new Error(`no type ${formatApiVersion(kind)} ${kind.kind}`);
  try {
    const { object, strictErrors } = decodeObject(definition, document);
    const { kind: given, apiVersion } = object as { kind?: string; apiVersion?: string };
    if (given !== undefined && given !== '' && given !== kind.kind) {
      throw badRequestError(
        `${given} in version ${JSON.stringify(apiVersion ?? '')} cannot be handled as a ${kind.kind}`,
      );
    }
    return { value: { ...object, kind: kind.kind, apiVersion: formatApiVersion(kind) } as T, strictErrors };
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw cannotHandle(kind, error.message);
  }
}

function cannotHandle({ kind, version }: BodyKind, message: string): StatusError {
  return badRequestError(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${message}`);
}

/** The managedFields of such a body: what the client set, credited to it. */
export function bodyManagers(
  context: RequestContext,
  kind: BodyKind,
  body: KubeObject,
  time: string,
  subresource = '',
): readonly ManagedFieldsEntry[] | undefined {
  const definition = findBuiltinDefinition(kind.group, kind.version, kind.kind);
  if (!definition) return undefined;
  const names = { kind: kind.kind, apiVersion: formatApiVersion(kind) };
  const empty = { ...normalizeObject(definition, {}), ...names, metadata: {} } as Draft;
  const resource = {
    ...kind,
    schema: builtinSchema(definition.key) as JsonSchema,
    subresource,
    ignored: setOf(['f:status']),
  };
  return updateManagedFields(resource, empty, body as Draft, {
    manager: fieldManagerOf(context, context.request.query.get('fieldManager') ?? ''),
    time,
  });
}
