import type { AdmissionRequest } from '../admission.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';

/** The key of an annotation about one call: its round, and the webhook's place among those of all configurations. */
function keyOf(prefix: string, round: number, { position }: CompiledWebhook): string {
  return `${prefix}webhook.admission.k8s.io/round_${round}_index_${position()}`;
}

/** Records in the audit event whether a webhook changed the object. */
export function annotateMutation(
  { annotate }: AdmissionRequest,
  webhook: CompiledWebhook,
  round: number,
  mutated: boolean,
): void {
  const { configuration, name } = webhook;
  annotate?.(keyOf('mutation.', round, webhook), JSON.stringify({ configuration, webhook: name, mutated }));
}

/** Records the patch of a webhook, in events that have bodies of requests. */
export function annotatePatch(
  { annotate }: AdmissionRequest,
  webhook: CompiledWebhook,
  round: number,
  patch: readonly unknown[],
): void {
  if (!annotate) return;
  const { configuration, name } = webhook;
  const value = { configuration, webhook: name, patch, patchType: 'JSONPatch' };
  annotate(keyOf('patch.', round, webhook), JSON.stringify(value), 'Request');
}

/** Records that a call failed and was ignored. */
export function annotateFailedOpen({ annotate }: AdmissionRequest, webhook: CompiledWebhook, round: number): void {
  annotate?.(keyOf('failed-open.mutation.', round, webhook), webhook.name);
}
