import { isKnownFormat } from '../format/string-format.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { type RawSchema, schemaHas } from './raw-schema.ts';

/** The unknown formats of a definition, for warnings such as `unrecognized format "nosuchformat"`. */
export function unrecognizedFormats(crd: CustomResourceDefinition): string[] {
  const found = new Set<string>();
  for (const { schema } of crd.spec.versions ?? [])
    schemaHas(schema?.openAPIV3Schema as RawSchema | undefined, (each) => {
      const type = each['x-kubernetes-int-or-string'] ? undefined : each.type;
      if (each.format && !isKnownFormat(type, each.format)) found.add(each.format);
      return false;
    });
  return [...found];
}
