import { type Client, kinds, mergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';
import { isSelfApproved, signingStep } from './csr-policy.ts';

/** What is to be signed. */
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
  /** Asked about each request that nobody has decided on: yes or no, or nothing to leave it to others. */
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
      if ((request.status?.conditions?.length ?? 0) === 0) {
        const self = isSelfApproved(request);
        const answer = self ? true : await approve?.(request);
        if (answer === undefined) return;
        const message = self
          ? 'Auto approving self kubelet client certificate after SubjectAccessReview.'
          : `The request was ${answer ? 'approved' : 'denied'} by policy.`;
        const condition = { type: answer ? 'Approved' : 'Denied', reason: self ? 'AutoApproved' : 'Policy', message };
        await addCondition(
          client,
          request,
          { ...condition, status: 'True', lastUpdateTime: now, lastTransitionTime: now },
          'approval',
        );
        return;
      }
      const step = signingStep(request);
      if (step.type === 'rest') return;
      const fail = (reason: string, message: string) =>
        addCondition(
          client,
          request,
          { type: 'Failed', status: 'True', reason, message, lastUpdateTime: now, lastTransitionTime: now },
          'status',
        );
      if (step.type === 'fail') return fail('SignerValidationFailure', step.message);
      let certificate: string;
      try {
        certificate = await sign(signingRequest(request));
      } catch (error) {
        return fail('SigningError', (error as Error).message);
      }
      const { resourceVersion } = request.metadata;
      const patch = mergePatch({
        metadata: { resourceVersion },
        status: { certificate: Buffer.from(certificate).toString('base64') },
      });
      await client.patchStatus(kinds.CertificateSigningRequest, { name }, patch);
    },
  });
}

function signingRequest({ spec }: CertificateSigningRequest): SigningRequest {
  const { expirationSeconds } = spec;
  return {
    request: Buffer.from(spec.request, 'base64').toString('utf8'),
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
