import { decodeStruct } from '@tektite/go';
import type { KubeObject } from '@tektite/meta';
import { parseYaml } from '@tektite/schema/yaml';
import { allKinds } from './kinds/all-kinds.ts';

/** The objects of YAML documents. */
export function objectsOf(yaml: string): readonly KubeObject[] {
  return parseYaml(yaml).map(({ value }) => value as KubeObject);
}

/** An object as the webhook decodes it. */
export function decoded(object: KubeObject): KubeObject {
  const kind = allKinds.find(({ group, version, kind: name }) => {
    return object.apiVersion === `${group}/${version}` && object.kind === name;
  });
  if (!kind) throw new Error(`no kind ${object.apiVersion} ${object.kind}`);
  return { ...object, ...decodeStruct(kind.struct, object, { isResource: true }), metadata: object.metadata };
}
