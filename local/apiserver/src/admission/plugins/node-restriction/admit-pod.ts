import { equalJson, notFoundError, quoteGo } from '@tektite/meta';
import type { Node, Pod } from '@tektite/schema/kubernetes';
import type { Storage } from '../../../storage/storage.ts';
import { type AdmissionRequest, admissionForbidden } from '../../admission.ts';
import { apiReference } from './api-reference.ts';

const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** A node creates mirror Pods of its own, and changes, evicts and deletes Pods that are bound to it. */
export function admitPod(storage: Storage, node: string, request: AdmissionRequest): void {
  const { operation, subresource } = request;
  const deny = (reason: string) => admissionForbidden(request, reason);
  if (subresource === 'status') return admitStatus(node, request);
  if (subresource === 'eviction') return admitEviction(storage, node, request);
  if (subresource !== '')
    throw deny(`unexpected pod subresource ${quoteGo(subresource)}, only 'status' and 'eviction' are allowed`);
  if (operation === 'CREATE') return admitMirrorPod(storage, node, request);
  if (operation !== 'DELETE')
    throw deny(
      `unexpected operation ${quoteGo(operation)}, node ${quoteGo(node)} can only create and delete mirror pods`,
    );
  if ((request.oldObject as unknown as Pod).spec?.nodeName !== node)
    throw deny(`node ${quoteGo(node)} can only delete pods with spec.nodeName set to itself`);
}

/** A mirror Pod shows a Pod that the node runs from a file. It refers to nothing, or it would give the node access to it. */
function admitMirrorPod(storage: Storage, node: string, request: AdmissionRequest): void {
  const pod = request.object as unknown as Pod;
  const { spec } = pod;
  const who = `node ${quoteGo(node)}`;
  const deny = (reason: string) => admissionForbidden(request, reason);
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined)
    throw deny(`pod does not have ${quoteGo(mirrorAnnotation)} annotation, ${who} can only create mirror pods`);
  if (spec?.nodeName !== node) throw deny(`${who} can only create pods with spec.nodeName set to itself`);
  checkOwner(storage, node, pod, request);
  const referred = apiReference(pod);
  if (referred !== undefined) throw deny(`${who} can not create pods that reference ${referred}`);
}

function checkOwner(storage: Storage, node: string, { metadata }: Pod, request: AdmissionRequest): void {
  const who = `node ${quoteGo(node)}`;
  const deny = (reason: string) => admissionForbidden(request, reason);
  const [owner, ...others] = metadata.ownerReferences ?? [];
  if (others.length > 0) throw deny(`${who} can only create pods with a single owner reference set to itself`);
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    throw deny(`${who} can only create pods with an owner reference set to itself`);
  if (!owner.controller) throw deny(`${who} can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion) throw deny(`${who} must not set blockOwnerDeletion on an owner reference`);
  const existing = storage.latest(`/registry/nodes/${node}`)?.value as Node | undefined;
  if (!existing) throw notFoundError({ group: '', resource: 'nodes' }, node);
  const uid = existing.metadata.uid ?? '';
  if (owner.uid !== uid) throw deny(`node ${node} UID mismatch: expected ${owner.uid} got ${uid}`);
}

function admitStatus(node: string, request: AdmissionRequest): void {
  const deny = (reason: string) => admissionForbidden(request, reason);
  if (request.operation !== 'UPDATE') throw deny(`unexpected operation ${quoteGo(request.operation)}`);
  const old = request.oldObject as unknown as Pod;
  const pod = request.object as unknown as Pod;
  if (old.spec?.nodeName !== node)
    throw deny(`node ${quoteGo(node)} can only update pod status for pods with spec.nodeName set to itself`);
  if (!equalJson(old.metadata.labels ?? {}, pod.metadata.labels ?? {}))
    throw deny(`node ${quoteGo(node)} cannot update labels through pod status`);
  if (!equalJson(old.status?.resourceClaimStatuses ?? [], pod.status?.resourceClaimStatuses ?? []))
    throw deny(`node ${quoteGo(node)} cannot update resource claim statues`);
  if (!equalJson(old.status?.extendedResourceClaimStatus ?? {}, pod.status?.extendedResourceClaimStatus ?? {}))
    throw deny(`node ${quoteGo(node)} cannot update extended resource claim statues`);
}

function admitEviction(storage: Storage, node: string, request: AdmissionRequest): void {
  const deny = (reason: string) => admissionForbidden(request, reason);
  if (request.operation !== 'CREATE') throw deny(`unexpected operation ${request.operation}`);
  const pod = storage.latest(`/registry/pods/${request.namespace}/${request.name}`)?.value as Pod | undefined;
  if (!pod) throw notFoundError({ group: '', resource: 'pod' }, request.name);
  if (pod.spec?.nodeName !== node) throw deny(`node ${node} can only evict pods with spec.nodeName set to itself`);
}
