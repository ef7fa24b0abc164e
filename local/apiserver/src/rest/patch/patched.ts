import type { JsonDocument } from '@tektite/go';
import { badRequestError, cloneJson } from '@tektite/meta';
import { metadataOf } from '../../store/draft-metadata.ts';
import type { Draft, Resource } from '../../registry/resource.ts';
import type { RequestContext } from '../request-context.ts';

/** The target of a patch: a resource, or the kind of a subresource's body. */
export type Patched = Pick<Resource, 'group' | 'version' | 'kind' | 'custom' | 'schema' | 'decode'>;

/** Custom resources are decoded in place, so they need a copy; other kinds are decoded into new objects. */
export function parsed(value: unknown, { custom }: Patched): JsonDocument {
  return { value: custom ? cloneJson(value) : value, hasNumberTexts: false };
}

/** A value that should be a string but need not be one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A patch cannot rename, and what an applied configuration makes has to have its name. */
export function checkName(context: RequestContext, draft: Draft): void {
  const { name } = metadataOf(draft);
  const expected = context.info.name;
  if (name === undefined || name === '') {
    throw badRequestError(
      `the name of the object (${expected} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (name !== expected)
    throw badRequestError(`the name of the object (${textOf(name)}) does not match the name on the URL (${expected})`);
}
