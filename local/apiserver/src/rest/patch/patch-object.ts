import type { Clock, KubeObject } from '@tektite/meta';
import type { Authorizer } from '../../auth/authorizer.ts';
import { createAuthorizer } from '../create-authorizer.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { Draft, Resource } from '../../registry/resource.ts';
import type { Written } from '../../store/update-request.ts';
import { type PatchOptions, parsePatchOptions } from '../../request/options.ts';
import { fieldManagerOf, type RequestContext } from '../request-context.ts';
import { applyChange } from './apply-change.ts';
import { applyPatch } from './apply-patch.ts';
import { patchLabelsAlone, patchStatusAlone } from './partial-patch.ts';
import { type PatchBody, readPatchBody } from './patch-body.ts';
import { type PatchType, patchTypeOf } from './patch-type.ts';

/** Answers a PATCH of an object or of a subresource that is the object itself (`/status`). */
export async function patchObject(
  parts: { readonly objects: ObjectStore; readonly authorizer: Authorizer; readonly clock: Clock },
  context: RequestContext,
  resource: Resource,
): Promise<Written> {
  const type = patchTypeOf(context, resource);
  const { namespace, name, subresource } = context.info;
  const options = parsePatchOptions(context.request.query, type === 'apply');
  const apply = type === 'apply';
  // Read when the object is known: whether it is there is answered first.
  let body: PatchBody | undefined;
  const change = (old: KubeObject | undefined): Draft => {
    body ??= readPatchBody(context.request.body ?? new Uint8Array(), type);
    return apply
      ? applyChange(parts.clock, context, resource, body, options)(old)
      : patchChange(context, resource, type, body, options)(old as KubeObject);
  };
  return parts.objects.update(
    resource,
    {
      namespace,
      name,
      subresource,
      change,
      createIfAbsent:
        apply && (subresource === '' || (subresource === 'status' && resource.strategy.allowCreateOnUpdate === true)),
      createOptions: { ...options.wire, kind: 'CreateOptions' },
      ownManagedFields: apply,
    },
    {
      user: context.user,
      fieldManager: fieldManagerOf(context, options.fieldManager),
      dryRun: options.dryRun,
      options: options.wire,
      warn: (text) => context.warnings.add(text),
      annotate: context.annotate,
      authorizeCreate: createAuthorizer(parts.authorizer, context),
    },
  );
}

/** JSON, merge and strategic patches: the patched text is read as if it had been sent. */
function patchChange(
  context: RequestContext,
  resource: Resource,
  type: Exclude<PatchType, 'apply'>,
  body: PatchBody,
  options: PatchOptions,
) {
  const { subresource } = context.info;
  const patchPart = (how: 'merge' | 'strategic', old: KubeObject) => {
    if (subresource === 'status') return patchStatusAlone(resource, how, old, body.value);
    return subresource === '' && how === 'merge' ? patchLabelsAlone(resource, old, body.value) : undefined;
  };
  return (object: KubeObject): Draft => {
    const quick = type === 'json' || body.strictErrors.length > 0 ? undefined : patchPart(type, object);
    return quick ?? applyPatch(context, resource, type, object, body, options);
  };
}
