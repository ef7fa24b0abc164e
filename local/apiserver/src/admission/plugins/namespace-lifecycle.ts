import { forbiddenError, type KubeObject, notFoundError, StatusError } from '@tektite/meta';
import { errorTarget } from '../../registry/resource.ts';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, isResource } from '../admission.ts';

/** Namespaces that the cluster needs and that cannot be deleted. */
const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** Access reviews are asked in namespaces that may not exist. */
const reviews = new Set(['localsubjectaccessreviews.authorization.k8s.io']);

/**
 * Nothing is created in a namespace that does not exist or is going, and a few namespaces never go. Decided before anything
 * is mutated, as upstream does: what will be refused anyway need not be shown to webhooks.
 */
export function namespaceLifecycle(storage: Storage): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    mutate(request) {
      const { operation, resource, namespace, name } = request;
      if (isResource(request, '', 'namespaces')) {
        if (operation === 'DELETE' && immortal.has(name))
          throw forbiddenError(errorTarget(resource), name, 'this namespace may not be deleted');
        return;
      }
      if (operation !== 'CREATE' || !resource.namespaced || namespace === '') return;
      if (!reviews.has(`${resource.plural}.${resource.group}`)) checkNamespace(storage, request);
    },
  };
}

function checkNamespace(storage: Storage, { resource, namespace, name }: AdmissionRequest): void {
  const entry = storage.latest(`/registry/namespaces/${namespace}`);
  if (!entry) throw notFoundError({ group: '', resource: 'namespaces' }, namespace);
  if (!isTerminating(entry.value)) return;
  const error = forbiddenError(
    errorTarget(resource),
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw new StatusError({ ...error.status, details: { ...error.status.details, causes: [cause] } });
}

function isTerminating(namespace: KubeObject): boolean {
  return (namespace as { status?: { phase?: string } }).status?.phase === 'Terminating';
}
