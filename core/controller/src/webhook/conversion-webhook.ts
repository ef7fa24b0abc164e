import {
  cloneJson,
  deepFreeze,
  type GroupVersionKind,
  type KubeObject,
  parseApiVersion,
  quoteGo,
  type Status,
  stringifyJson,
} from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { isMap } from './admission-review.ts';
import type { ConversionRequest, ConversionResponse } from './conversion-review.ts';
import { decodeError } from './decode-error.ts';

/** How the objects of one kind change versions. Made by `conversion`. */
export interface ConversionRule {
  /** The kind in its hub version. */
  readonly kind: Kind;
  readonly versions: readonly string[];
  convert(object: KubeObject, from: string, to: string): Promise<KubeObject>;
}

/** A webhook that converts objects between versions. */
export interface ConversionWebhook {
  readonly type: 'conversion';
  readonly path: string;
  readonly rules: readonly ConversionRule[];
  convert(request: ConversionRequest): Promise<ConversionResponse>;
}

export interface ConversionWebhookOptions {
  /** Default `/resource-conversion/` and the group of the first kind. */
  readonly path?: string;
  readonly rules: readonly ConversionRule[];
}

/**
 * A webhook that converts the objects of any number of kinds. If one object of a review cannot be converted, none is: the
 * answer is a failure in upstream's words whose details name the object.
 *
 * @example
 * conversionWebhook({ rules: [conversion({ hub: TaskV1, spokes: [spoke(TaskV1beta1, TaskV1, functions)] })] })
 */
export function conversionWebhook(options: ConversionWebhookOptions): ConversionWebhook {
  const { rules, path = `/resource-conversion/${rules[0]?.kind.group ?? ''}` } = options;
  const byKind = new Map(rules.map((rule) => [`${rule.kind.kind}.${rule.kind.group}`, rule]));
  return { type: 'conversion', path, rules, convert: (request) => convertAll(byKind, request) };
}

async function convertAll(
  rules: ReadonlyMap<string, ConversionRule>,
  { objects, desiredAPIVersion }: ConversionRequest,
): Promise<ConversionResponse> {
  const convertedObjects: KubeObject[] = [];
  for (const object of objects) {
    try {
      convertedObjects.push(await convertOne(rules, object, desiredAPIVersion));
    } catch (error) {
      return { convertedObjects: [], result: failure(error, object) };
    }
  }
  return { convertedObjects, result: { metadata: {}, status: 'Success' } };
}

async function convertOne(
  rules: ReadonlyMap<string, ConversionRule>,
  value: unknown,
  desired: string,
): Promise<KubeObject> {
  const from = kindOf(value);
  const rule = rules.get(`${from.kind}.${from.group}`);
  if (!rule) throw new Error(`no conversion support for type [kind=${from.kind} group=${from.group}]`);
  const target = parseApiVersion(desired);
  if (!target || target.group === '') throw new Error(`desired API version ${quoteGo(desired)} is not valid`);
  const to = { ...from, version: target.version };
  for (const version of [from, to])
    if (!rule.versions.includes(version.version))
      throw new Error(`conversion not supported for type ${describe(version)}`);
  const error = decodeError(value, { ...rule.kind, version: from.version, schema: undefined });
  if (error !== undefined) throw new Error(`unable to unmarshal input: ${error}`);
  try {
    return await rule.convert(frozen(value as KubeObject), from.version, to.version);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`conversion failed to version ${to.version} for type ${describe(from)} -  ${reason}`, { cause });
  }
}

function kindOf(value: unknown): GroupVersionKind {
  if (!isMap(value)) throw new Error(`error parsing type meta ${quoteGo(stringifyJson(value))}`);
  const { apiVersion = '', kind = '' } = value as { readonly apiVersion?: unknown; readonly kind?: unknown };
  const version = typeof apiVersion === 'string' ? parseApiVersion(apiVersion) : undefined;
  if (!version) throw new Error(`error parsing GV ${quoteGo(String(apiVersion))}`);
  if (version.group === '' || version.version === '' || typeof kind !== 'string' || kind === '')
    throw new Error(`invalid GroupVersionKind ${version.group}/${version.version}, Kind=${String(kind)}`);
  return { ...version, kind };
}

function failure(error: unknown, object: unknown): Partial<Status> {
  const message = error instanceof Error ? error.message : String(error);
  const metadata = isMap(object) && isMap(object.metadata) ? object.metadata : {};
  const { name, namespace } = metadata as { readonly name?: unknown; readonly namespace?: unknown };
  const called = [namespace, name].filter((part) => typeof part === 'string').join('/');
  return { metadata: {}, status: 'Failure', message, ...(called === '' ? {} : { details: { name: called } }) };
}

function frozen(object: KubeObject): KubeObject {
  return Object.isFrozen(object) ? object : deepFreeze(cloneJson(object));
}

function describe({ group, version, kind }: GroupVersionKind): string {
  return `[kind=${kind} group=${group} version=${version}]`;
}
