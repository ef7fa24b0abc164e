import { readSigningRequest } from '@tektite/certificates';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped, requeueAfter } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import type { CertificateSigningRequest, Node } from '@tektite/schema/kubernetes';
import { ownsNames, recognise, signingStep, type Subject } from './csr-policy.ts';

/** A request that the signer has to sign. */
export interface SigningRequest {
  /** PKCS #10, PEM. */
  readonly request: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly expirationSeconds?: number;
}

export interface CertificateHooks {
  /** Answers the certificate, PEM. What it throws becomes the request's `Failed` condition. */
  sign(request: SigningRequest): Promise<string>;
  /** Decides on requests that no controller has approved or denied. `undefined` leaves the decision to others. */
  approve?(request: CertificateSigningRequest): Promise<boolean | undefined> | boolean | undefined;
}

type Condition = NonNullable<NonNullable<CertificateSigningRequest['status']>['conditions']>[number];

/** Approves what needs no person, and signs what is approved, for the signers that every cluster has. */
export function csrController({ sign, approve }: CertificateHooks): ControllerDefinition {
  const nodes = mapped(kinds.Node, () => []);
  return defineController({
    name: 'certificate-signing-request',
    kind: kinds.CertificateSigningRequest,
    sources: [nodes],
    async reconcile(request, { client, cache, clock, name }) {
      const now = formatTime(clock.now());
      const write = (type: string, reason: string, message: string, subresource: 'approval' | 'status') => {
        const condition = { type, status: 'True', reason, message, lastUpdateTime: now, lastTransitionTime: now };
        return addCondition(client, request, condition, subresource);
      };
      if ((request.status?.conditions?.length ?? 0) === 0) {
        const subject = await subjectOf(request);
        const approval = recognise(request, subject);
        if (approval?.by === 'review' && (await isAllowed(client, request, approval.subresource)))
          return write('Approved', 'AutoApproved', approval.message, 'approval');
        if (approval?.by === 'addresses') {
          // The kubelet asks before its addresses are in the status of its node.
          if (!ownsNames(approval.node, subject, cache(nodes).list() as readonly Node[]))
            return requeueAfter(addressesRetryMs);
          return write('Approved', 'AutoApproved', servingApproval, 'approval');
        }
        const answer = await approve?.(request);
        if (answer === undefined) return;
        const message = `The request was ${answer ? 'approved' : 'denied'} by policy.`;
        return write(answer ? 'Approved' : 'Denied', 'Policy', message, 'approval');
      }
      const step = signingStep(request, await subjectOf(request));
      if (step.type === 'rest') return;
      if (step.type === 'fail') return write('Failed', 'SignerValidationFailure', step.message, 'status');
      let certificate: string;
      try {
        certificate = await sign(signingRequest(request));
      } catch (error) {
        return write('Failed', 'SigningError', (error as Error).message, 'status');
      }
      const { resourceVersion } = request.metadata;
      const status = { certificate: Buffer.from(certificate).toString('base64') };
      await client.patchStatus(
        kinds.CertificateSigningRequest,
        { name },
        mergePatch({ metadata: { resourceVersion }, status }),
      );
    },
  });
}

const servingApproval = 'Auto approving kubelet serving certificate for the addresses of its node.';
/** A status that gets its addresses later is found by the next try: requests live for a day. */
const addressesRetryMs = 5000;

function textOf({ spec }: CertificateSigningRequest): string {
  return Buffer.from(spec.request, 'base64').toString('utf8');
}

function subjectOf(request: CertificateSigningRequest): Promise<Subject> {
  return readSigningRequest(textOf(request));
}

/** Asks the authorizer whether the requester needs no approval by a person. */
async function isAllowed(client: Client, { spec }: CertificateSigningRequest, subresource: string): Promise<boolean> {
  const { username = '', uid, groups } = spec;
  const { status } = await client.create(kinds.SubjectAccessReview, {
    metadata: {},
    spec: {
      user: username,
      ...(uid ? { uid } : {}),
      ...(groups ? { groups } : {}),
      resourceAttributes: {
        group: 'certificates.k8s.io',
        resource: 'certificatesigningrequests',
        verb: 'create',
        subresource,
        version: '*',
      },
    },
  });
  return status?.allowed === true;
}

function signingRequest(whole: CertificateSigningRequest): SigningRequest {
  const { spec } = whole;
  const { expirationSeconds } = spec;
  return {
    request: textOf(whole),
    signerName: spec.signerName,
    usages: spec.usages ?? [],
    ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
  };
}

async function addCondition(
  client: Client,
  { metadata, status }: CertificateSigningRequest,
  condition: Condition,
  subresource: 'approval' | 'status',
): Promise<void> {
  const { name = '', resourceVersion } = metadata;
  const conditions = [...(status?.conditions ?? []), condition];
  const patch = mergePatch({ metadata: { resourceVersion }, status: { conditions } });
  await client.patch(kinds.CertificateSigningRequest, { name }, patch, { subresource });
}
