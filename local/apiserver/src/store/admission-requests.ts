import type { KubeObject } from '@tektite/meta';
import type { AdmissionRequest } from '../admission/admission.ts';
import type { Draft, Resource } from '../registry/resource.ts';
import type { ObjectView } from './update-request.ts';
import type { WriteContext } from './write-context.ts';

/** The admission request of a write. */
export function admissionRequest(
  operation: 'CREATE' | 'UPDATE',
  resource: Resource,
  namespace: string,
  name: string,
  subresource: string,
  context: WriteContext,
  object: Draft,
  oldObject: KubeObject | undefined,
): AdmissionRequest {
  const { user, dryRun, options, warn, annotate } = context;
  return {
    operation,
    resource,
    subresource,
    // A Namespace is in itself.
    namespace: resource.group === '' && resource.plural === 'namespaces' ? name : namespace,
    name,
    object,
    ...(oldObject ? { oldObject } : {}),
    user,
    dryRun,
    options,
    warn,
    annotate,
  };
}

/** A request about an object that has its final name by now. */
export function named(request: AdmissionRequest, object: Draft): AdmissionRequest {
  return { ...request, name: request.name || (object.metadata.name ?? ''), object };
}

/** A request about an object as admission is to see it. */
export function inView(view: ObjectView | undefined, request: AdmissionRequest, object: Draft): AdmissionRequest {
  if (!view) return { ...request, object };
  const { oldObject } = request;
  return {
    ...request,
    kind: view.kind,
    object: view.show(object) as Draft,
    ...(oldObject ? { oldObject: view.show(oldObject) } : {}),
  };
}
