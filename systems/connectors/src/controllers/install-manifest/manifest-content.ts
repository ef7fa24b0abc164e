import type { DynamicObject } from '@tektite/meta';
import { keys } from '../../connector-keys.ts';
import type { InstallManifest } from '../../kinds/install-manifest.ts';
import { type HashedObject, hashLine, objectHash } from '../../render/object-hash.ts';
import type { RenderedSet } from '../../render/render-connector.ts';

/** The record of an object in an InstallManifest: its name and hash, or the object without the values of Secrets. */
export function recordOf({ object, hash }: HashedObject, type: 'Metadata' | 'All'): DynamicObject {
  const { apiVersion, kind, metadata } = object;
  const { name = '', namespace } = metadata;
  if (type === 'Metadata')
    return {
      apiVersion,
      kind,
      metadata: { name, ...(namespace ? { namespace } : {}), annotations: { [keys.hash]: hash } },
    };
  const { data: _, stringData: __, ...withoutValues } = object;
  const shown = isSecret(object) ? withoutValues : object;
  return { ...shown, metadata: { ...metadata, annotations: { ...metadata.annotations, [keys.hash]: hash } } };
}

function isSecret({ apiVersion, kind }: DynamicObject): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

function recordedHash({ metadata }: DynamicObject): string {
  return metadata?.annotations?.[keys.hash] ?? '';
}

/** The objects to install, or why they are not known. */
export type Content = { readonly objects: readonly DynamicObject[] } | { readonly mismatch: string };

/**
 * The content of an InstallManifest: the recorded objects where it records all, otherwise the current rendering of the
 * Connector, which has to match the recorded hash. Pure.
 */
export function contentOf({ spec }: InstallManifest, rendered: RenderedSet | { readonly problem: string }): Content {
  const { manifests } = spec;
  if (spec.manifestType === 'All' && !manifests.some(isSecret)) return checkedRecord(manifests);
  if ('problem' in rendered) return { mismatch: rendered.problem };
  const lines = new Map(rendered.objects.map(({ object, hash }) => [hashLine(object, hash), object]));
  const objects: DynamicObject[] = [];
  for (const record of manifests) {
    const found = lines.get(hashLine({ ...record, metadata: record.metadata ?? {} }, recordedHash(record)));
    if (found) objects.push(found);
    else return { mismatch: `${record.kind} ${record.metadata?.name ?? ''} is not what was recorded` };
  }
  if (objects.length === lines.size) return { objects };
  return { mismatch: `${lines.size} objects are rendered, and ${objects.length} were recorded` };
}

function checkedRecord(manifests: readonly DynamicObject[]): Content {
  const objects: DynamicObject[] = [];
  for (const record of manifests) {
    const object = withoutHash(record);
    if (objectHash(object) !== recordedHash(record))
      return { mismatch: `${record.kind} ${record.metadata?.name ?? ''} is not what was recorded` };
    objects.push(object);
  }
  return { objects };
}

function withoutHash(record: DynamicObject): DynamicObject {
  const { [keys.hash]: _, ...annotations } = record.metadata?.annotations ?? {};
  const { annotations: __, ...metadata } = record.metadata ?? {};
  return {
    ...record,
    metadata: Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata,
  };
}
