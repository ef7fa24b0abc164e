import { cloneJson, formatTime, type GroupVersionKind, type KubeObject } from '@tektite/meta';
import type { AdmissionRequest } from '../../admission/admission.ts';
import type { Draft, Resource } from '../../registry/resource.ts';
import type { RequestContext } from '../request-context.ts';
import type { RestParts } from '../resource-handler.ts';
import { bodyManagers } from './typed-body.ts';

/** An action under review: a body that is not stored, but makes something happen. */
export interface ReviewedAction<T extends KubeObject> {
  readonly resource: Resource;
  readonly kind: GroupVersionKind;
  readonly name: string;
  readonly body: T;
  readonly dryRun: boolean;
  /** The CreateOptions, for admission. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Passes an action to admission. Returns the body as admission left it; throws a denial. */
export async function reviewAction<T extends KubeObject>(
  parts: RestParts,
  context: RequestContext,
  { resource, kind, name, body, dryRun, options }: ReviewedAction<T>,
): Promise<T> {
  const { namespace, subresource } = context.info;
  const object = cloneJson(body as KubeObject) as Draft;
  object.metadata.namespace ??= namespace;
  const managers = object.metadata.managedFields
    ? undefined
    : bodyManagers(context, kind, object, formatTime(parts.clock.now()), subresource);
  if (managers) object.metadata.managedFields = cloneJson(managers);
  const request: AdmissionRequest = {
    operation: 'CREATE',
    resource,
    subresource,
    kind,
    namespace,
    name,
    object,
    user: context.user,
    dryRun,
    options,
    warn: (text) => context.warnings.add(text),
    annotate: context.annotate,
  };
  await parts.admission.mutate(request);
  await parts.admission.validate(request);
  return object as T;
}
