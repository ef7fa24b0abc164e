import { readSigningRequest, type SigningRequest } from '@tektite/certificates';
import { kinds } from '@tektite/client';
import { cached, type ControllerDefinition, defineController } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import { ByoHost } from '../kinds/byo-host.ts';
import { csrPrefix } from '../wire-names.ts';
import { judgeRequest } from './csr-policy.ts';

/** Approves what hosts ask for, when it is theirs to ask for. */
export function csrApprover(): ControllerDefinition {
  const hosts = cached(ByoHost, { indexes: { name: ({ metadata }) => [metadata.name ?? ''] } });
  return defineController({
    name: 'byoh-csr-approver',
    kind: kinds.CertificateSigningRequest,
    sources: [hosts],
    predicate: ({ object }) => object.metadata.name?.startsWith(csrPrefix) ?? false,
    async reconcile(request, { client, cache, clock, log, event }) {
      let subject: SigningRequest;
      try {
        subject = await readSigningRequest(Buffer.from(request.spec.request, 'base64').toString('utf8'));
        if (!(await subject.verify())) throw new Error('it is not signed with its own key');
      } catch (error) {
        log.warn('a request cannot be read', { error });
        return;
      }
      const verdict = judgeRequest(request, subject, (name) => cache(hosts).byIndex('name', name).length > 0);
      if (verdict.type === 'leave') {
        if (verdict.why !== 'it is decided') {
          log.warn('not approved', { why: verdict.why });
          event({ type: 'Warning', reason: 'NotApproved', message: verdict.why });
        }
        return;
      }
      const now = formatTime(clock.now());
      const approved = {
        type: 'Approved',
        status: 'True' as const,
        reason: 'Approved by ByoAdmission Controller',
        message: `the request of ${request.spec.username} is for its own certificate`,
        lastUpdateTime: now,
        lastTransitionTime: now,
      };
      const conditions = [...(request.status?.conditions ?? []), approved];
      const whole = await client.get(kinds.CertificateSigningRequest, { name: request.metadata.name ?? '' });
      if (whole.metadata.uid !== request.metadata.uid || whole.status?.conditions?.length) return;
      const next = { ...whole, status: { ...whole.status, conditions } };
      await client.update(kinds.CertificateSigningRequest, next, { subresource: 'approval' });
    },
  });
}
