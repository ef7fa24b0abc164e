import { type Client, kinds } from '@tektite/client';
import { type Clock, formatTime } from '@tektite/meta';
import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';

/** Approves a request, unless it was decided or replaced meanwhile. */
export async function approve(client: Client, request: CertificateSigningRequest, clock: Clock): Promise<void> {
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
}
