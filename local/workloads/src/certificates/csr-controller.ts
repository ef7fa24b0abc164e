import { readSigningRequest } from '@tektite/certificates';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';
import { isOwnRenewal, signingStep, type Subject } from './csr-policy.ts';

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
  return defineController({
    name: 'certificate-signing-request',
    kind: kinds.CertificateSigningRequest,
    async reconcile(request, { client, clock, name }) {
      const now = formatTime(clock.now());
      const write = (type: string, reason: string, message: string, subresource: 'approval' | 'status') => {
        const condition = { type, status: 'True', reason, message, lastUpdateTime: now, lastTransitionTime: now };
        return addCondition(client, request, condition, subresource);
      };
      if ((request.status?.conditions?.length ?? 0) === 0) {
        if (await mayRenew(client, request)) return write('Approved', 'AutoApproved', selfApproval, 'approval');
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

const selfApproval = 'Auto approving self kubelet client certificate after SubjectAccessReview.';

function textOf({ spec }: CertificateSigningRequest): string {
  return Buffer.from(spec.request, 'base64').toString('utf8');
}

function subjectOf(request: CertificateSigningRequest): Promise<Subject> {
  return readSigningRequest(textOf(request));
}

/** A node may renew its own client certificate without an approval if the authorizer allows it. */
async function mayRenew(client: Client, request: CertificateSigningRequest): Promise<boolean> {
  if (!isOwnRenewal(request, await subjectOf(request))) return false;
  const { username = '', uid, groups } = request.spec;
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
        subresource: 'selfnodeclient',
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
