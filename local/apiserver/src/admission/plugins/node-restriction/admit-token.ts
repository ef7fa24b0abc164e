import { notFoundError, quoteGo } from '@tektite/meta';
import type { CSIDriver, PersistentVolume, PersistentVolumeClaim, Pod, TokenRequest } from '@tektite/schema/kubernetes';
import type { Authorizer } from '../../../auth/authorizer.ts';
import { podReferences } from '../../../auth/node/pod-references.ts';
import { tokenIssuer } from '../../../auth/service-account-tokens.ts';
import type { Storage } from '../../../storage/storage.ts';
import { type AdmissionRequest, admissionForbidden } from '../../admission.ts';

/** A node asks for tokens that are bound to its Pods, for audiences that they use. */
export function admitToken(storage: Storage, authorizer: Authorizer, node: string, request: AdmissionRequest): void {
  if (request.operation !== 'CREATE' || request.subresource !== 'token') return;
  const deny = (reason: string) => admissionForbidden(request, reason);
  const { spec } = request.object as unknown as TokenRequest;
  const bound = spec?.boundObjectRef;
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    throw deny('node requested token not bound to a pod');
  if (!bound.uid) throw deny('node requested token with a pod binding without a uid');
  const pod = storage.latest(`/registry/pods/${request.namespace}/${bound.name}`)?.value as Pod | undefined;
  if (!pod) throw notFoundError({ group: '', resource: 'pods' }, bound.name);
  if (bound.uid !== pod.metadata.uid)
    throw deny(
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (pod.spec?.nodeName !== node) throw deny('node requested token bound to a pod scheduled on a different node');
  const [audience = tokenIssuer, ...others] = spec?.audiences ?? [];
  if (others.length > 0) throw deny('node may only request 0 or 1 audiences');
  if (usesAudience(storage, pod, audience) || mayRequest(authorizer, request, audience)) return;
  throw deny(
    `audience ${quoteGo(audience)} not found in pod spec volume, ${request.user.name} is not authorized to request tokens for this audience`,
  );
}

/** A volume without an audience is for that of the server. */
function usesAudience(storage: Storage, pod: Pod, audience: string): boolean {
  const isWanted = (candidate: string | undefined) => (candidate || tokenIssuer) === audience;
  for (const { projected } of pod.spec?.volumes ?? [])
    for (const { serviceAccountToken } of projected?.sources ?? [])
      if (serviceAccountToken && isWanted(serviceAccountToken.audience)) return true;
  for (const name of driversOf(storage, pod)) {
    const driver = storage.latest(`/registry/csidrivers/${name}`)?.value as CSIDriver | undefined;
    if (driver?.spec?.tokenRequests?.some((one) => isWanted(one.audience))) return true;
  }
  return false;
}

/** The drivers of a Pod's volumes: its own, and those of its claims. */
function* driversOf(storage: Storage, pod: Pod): Generator<string> {
  for (const { csi } of pod.spec?.volumes ?? []) if (csi) yield csi.driver;
  const { namespace = '' } = pod.metadata;
  for (const name of podReferences(pod).claims) {
    const claim = storage.latest(`/registry/persistentvolumeclaims/${namespace}/${name}`)?.value as
      | PersistentVolumeClaim
      | undefined;
    const volume = storage.latest(`/registry/persistentvolumes/${claim?.spec?.volumeName ?? ''}`)?.value as
      | PersistentVolume
      | undefined;
    if (volume?.spec?.csi) yield volume.spec.csi.driver;
  }
}

/** Administrators grant further audiences with a verb of its own; the audience stands for the resource. */
function mayRequest(authorizer: Authorizer, { user, namespace, name }: AdmissionRequest, audience: string): boolean {
  return authorizer.authorize({
    user,
    verb: 'request-serviceaccounts-token-audience',
    isResourceRequest: true,
    group: '',
    resource: audience,
    subresource: '',
    namespace,
    name,
    path: '',
  }).allowed;
}
