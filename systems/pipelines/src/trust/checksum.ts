import { createHash } from 'node:crypto';
import type { KubeObject } from '@tektite/meta';
import { escapeForHtml } from '../kinds/go-value.ts';
import { decodeObject } from '../rules/decode-object.ts';
import '../kinds/pipeline-structs.ts';
import { parseApiVersion } from '@tektite/meta';

/** Where a signature is kept. */
export const signatureAnnotation = 'tekton.dev/signature';

/** Annotations that are not part of what is signed. */
const ignored = new Set([
  signatureAnnotation,
  'kubectl-client-side-apply',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/**
 * What is signed of a Task, Pipeline or StepAction: the SHA-256 of its name, labels, annotations and spec, in the very bytes that
 * Go prints for them. Other metadata does not count, nor do annotations that come and go.
 *
 * @example
 * checksumOf(task).toString('hex');
 */
export function checksumOf(object: KubeObject): Buffer {
  const { version = '' } = parseApiVersion(object.apiVersion) ?? {};
  const { spec } = decodeObject<KubeObject & { readonly spec: unknown }>({ version, kind: object.kind }, object, false);
  const printed = { kind: object.kind, apiVersion: object.apiVersion, metadata: signedMetadata(object), spec };
  return createHash('sha256').update(goJson(printed)).digest();
}

function signedMetadata({ metadata }: KubeObject): object {
  const { name, generateName, namespace, labels = {}, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => !ignored.has(key));
  return {
    ...(name ? { name } : {}),
    ...(generateName ? { generateName } : {}),
    ...(namespace ? { namespace } : {}),
    ...(Object.keys(labels).length > 0 ? { labels: sortedMap(Object.entries(labels)) } : {}),
    ...(kept.length > 0 ? { annotations: sortedMap(kept) } : {}),
  };
}

const sortedMap = (entries: readonly (readonly [string, unknown])[]) =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** JavaScript puts keys that are numbers first, in any object; Go sorts all keys of maps. No field of a struct is a number. */
function goJson(value: unknown): string {
  return escapeForHtml(print(value));
}

function print(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const isMap = entries.some(([key]) => /^\d+$/.test(key));
  const inOrder = isMap ? entries.toSorted(([a], [b]) => (a < b ? -1 : 1)) : entries;
  return `{${inOrder.map(([key, item]) => `${JSON.stringify(key)}:${print(item)}`).join(',')}}`;
}
