import { StatusError } from '@tektite/meta';
import type { Resource } from '../../registry/resource.ts';
import { mediaTypeOf, unsupportedMediaTypeError } from '../read-body.ts';
import type { RequestContext } from '../request-context.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

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
