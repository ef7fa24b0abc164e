import { isDecodeError } from '@tektite/go';
import { FieldPath, nameIsPathSegment, type ObjectMeta } from '@tektite/meta';
import type { JsonSchema, MetadataRules } from '@tektite/schema';
import { builtinSchema, definitionOf } from '@tektite/schema/kubernetes';
import { decodeObject } from '../../../codec/decode-object.ts';
import { validateObjectMeta } from '../object-meta.ts';

const objectMeta = 'meta/v1.ObjectMeta';

/** The schema of `metadata`, the same for every kind. */
export function metadataSchema(): JsonSchema {
  return builtinSchema(objectMeta) as JsonSchema;
}

/** How the API server reads and checks the metadata of custom resources, and of resources embedded in them. */
export const metadataRules: MetadataRules = {
  decode(metadata) {
    try {
      const { object, strictErrors } = decodeObject(definitionOf(objectMeta), {
        value: metadata,
        hasNumberTexts: false,
      });
      return {
        metadata: object,
        unknown: strictErrors.flatMap((strictError) => /^unknown field "(.*)"$/.exec(strictError)?.[1] ?? []),
      };
    } catch (error) {
      if (isDecodeError(error)) return error.message;
      throw error;
    }
  },
  validate: (metadata, path) =>
    validateObjectMeta(metadata as ObjectMeta, {
      namespaced: metadata.namespace !== undefined,
      path: path ?? FieldPath.of('metadata'),
      validateName: nameIsPathSegment,
    }),
};
