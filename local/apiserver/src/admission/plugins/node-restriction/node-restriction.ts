import { readSigningRequest } from '@tektite/certificates';
import { cloneJson, equalJson, type KubeObject, quoteGo } from '@tektite/meta';
import type { CertificateSigningRequest, ResourceSlice } from '@tektite/schema/kubernetes';
import type { Authorizer } from '../../../auth/authorizer.ts';
import { nodeNameOf } from '../../../auth/node/node-identity.ts';
import type { Storage } from '../../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, admissionForbidden } from '../../admission.ts';
import { admitNode } from './admit-node.ts';
import { admitPod } from './admit-pod.ts';
import { admitToken } from './admit-token.ts';

const leaseNamespace = 'kube-node-lease';
const nodeSigners = new Set(['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']);

/**
 * Limits the writes of nodes to what is theirs. The Node authorizer lets a node send them; it knows neither the contents nor the
 * names of new objects.
 */
export function nodeRestriction(storage: Storage, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    mutate(request) {
      const node = nodeNameOf(request.user);
      if (node === undefined || request.operation === 'CONNECT') return undefined;
      if (node === '')
        throw admissionForbidden(request, `could not determine node from user ${quoteGo(request.user.name)}`);
      switch (`${request.resource.plural}.${request.resource.group}`) {
        case 'pods.':
          return admitPod(storage, node, request);
        case 'nodes.':
          return admitNode(node, request);
        case 'persistentvolumeclaims.':
          return admitClaim(node, request);
        case 'serviceaccounts.':
          return admitToken(storage, authorizer, node, request);
        case 'leases.coordination.k8s.io':
          return admitLease(node, request);
        case 'csinodes.storage.k8s.io':
          return admitOwn(node, request, 'CSINode');
        case 'resourceslices.resource.k8s.io':
          return admitSlice(node, request);
        case 'certificatesigningrequests.certificates.k8s.io':
          return admitSigningRequest(node, request);
        default:
          return undefined;
      }
    },
  };
}

function admitOwn(node: string, request: AdmissionRequest, what: string): void {
  const name = request.operation === 'CREATE' ? (request.object?.metadata.name ?? '') : request.name;
  if (name !== node)
    throw admissionForbidden(request, `can only access ${what} with the same name as the requesting node`);
}

function admitLease(node: string, request: AdmissionRequest): void {
  if (request.namespace !== leaseNamespace)
    throw admissionForbidden(request, `can only access leases in the ${quoteGo(leaseNamespace)} system namespace`);
  admitOwn(node, request, 'node lease');
}

/** A node reports the size of volumes that it resized. */
function admitClaim(node: string, request: AdmissionRequest): void {
  if (request.subresource !== 'status') throw admissionForbidden(request, 'may only update PVC status');
  if (request.operation !== 'UPDATE')
    throw admissionForbidden(request, `unexpected operation ${quoteGo(request.operation)}`);
  if (!equalJson(withoutSizes(request.oldObject as KubeObject), withoutSizes(request.object as KubeObject)))
    throw admissionForbidden(
      request,
      `node ${quoteGo(node)} is not allowed to update fields other than status.quantity and status.conditions`,
    );
}

function withoutSizes(claim: KubeObject): object {
  const copy = cloneJson(claim) as { metadata: Record<string, unknown>; status?: Record<string, unknown> };
  const status = copy.status ?? {};
  for (const field of ['resourceVersion', 'managedFields']) delete copy.metadata[field];
  for (const field of ['capacity', 'conditions', 'allocatedResources', 'allocatedResourceStatuses'])
    delete status[field];
  return { ...copy, status };
}

function admitSlice(node: string, request: AdmissionRequest): void {
  const verb = request.operation === 'CREATE' ? 'create' : 'delete';
  if (request.operation === 'UPDATE') return;
  const slice = (verb === 'create' ? request.object : request.oldObject) as unknown as ResourceSlice;
  if (slice.spec?.nodeName !== node)
    throw admissionForbidden(request, `can only ${verb} ResourceSlice with the same NodeName as the requesting node`);
}

/** A node asks for certificates of its own name. Their other contents are for the signer to check. */
async function admitSigningRequest(node: string, request: AdmissionRequest): Promise<void> {
  if (request.operation !== 'CREATE' || request.subresource !== '') return;
  const { spec } = request.object as unknown as CertificateSigningRequest;
  if (!nodeSigners.has(spec?.signerName ?? '')) return;
  const { commonName } = await readSigningRequest(Buffer.from(spec?.request ?? '', 'base64').toString('utf8')).catch(
    (error: unknown) => {
      throw admissionForbidden(request, `unable to parse csr: ${(error as Error).message}`);
    },
  );
  if (commonName !== `system:node:${node}`)
    throw admissionForbidden(request, `can only create a node CSR with CN=system:node:${node}`);
}
