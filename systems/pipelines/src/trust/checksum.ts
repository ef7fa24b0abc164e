import { createHash } from 'node:crypto';
import { goStructJson } from '@tektite/go';
import { type KubeObject, parseApiVersion } from '@tektite/meta';
import { decodeObject } from '../rules/decode-object.ts';
import { findKind } from '../kinds/all-kinds.ts';

/** Where a signature is kept. */
export const signatureAnnotation = 'tekton.dev/signature';

/** Annotations that are not part of what is signed. */
const ignored = new Set([
  signatureAnnotation,
  'kubectl-client-side-apply',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/**
 * The signed checksum of a Task, Pipeline or StepAction: the SHA-256 of its name, labels, annotations and spec, in the
 * exact bytes of Go's JSON. Other metadata does not count, nor do transient annotations.
 *
 * @example checksumOf(task).toString('hex');
 */
export function checksumOf(object: KubeObject): Buffer {
  const { version = '' } = parseApiVersion(object.apiVersion) ?? {};
  const kind = findKind(version, object.kind);
  if (!kind) throw new Error(`${object.kind} ${object.apiVersion} has no struct that could be signed`);
  const { spec } = decodeObject<KubeObject & { readonly spec: unknown }>(kind, object, false);
  const printed = { kind: object.kind, apiVersion: object.apiVersion, metadata: signedMetadata(object), spec };
  return createHash('sha256').update(goStructJson(printed)).digest();
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
