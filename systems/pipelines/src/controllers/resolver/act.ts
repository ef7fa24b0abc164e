import { keyOf, mergePatch } from '@tektite/client';
import type { ReconcileContext } from '@tektite/controller';
import { formatWithoutArguments } from '@tektite/go';
import { formatTime, isStatusError, knativeConditionSet } from '@tektite/meta';
import { isCompleted } from '../../conditions/succeeded-condition.ts';
import { ResolutionRequest, type ResolutionRequestObject } from '../../kinds/resolution-request.ts';
import type { ResolvedResource } from '../../resolution/resolver.ts';
import { isRetried, keyText, ResolverFailure } from './decide.ts';

const succeeded = knativeConditionSet('Succeeded', []);

/** Writes the data of a request. Rejects with a ResolverFailure where the API server does not take it. */
export async function writeAnswer(
  request: ResolutionRequestObject,
  { data, annotations, refSource }: ResolvedResource,
  { client, signal }: ReconcileContext,
): Promise<void> {
  const source = refSource ?? null;
  const status = {
    annotations: annotations ?? null,
    data: Buffer.from(data).toString('base64'),
    source,
    refSource: source,
  };
  try {
    await client.patchStatus(ResolutionRequest, keyOf(request), mergePatch({ status }), { signal });
  } catch (error) {
    // Too large, for example.
    if (!isStatusError(error) || isRetried(error) || error.code === 404) throw error;
    const message = `error updating resource request "${keyText(request)}" with data: ${error.message}`;
    throw new ResolverFailure(message, { cause: error });
  }
}

/** Marks a request as failed, unless it was completed meanwhile. */
export async function writeFailure(
  request: ResolutionRequestObject,
  message: string,
  { client, signal, clock }: ReconcileContext,
): Promise<void> {
  const latest = await client.get(ResolutionRequest, keyOf(request), { signal });
  if (isCompleted(latest.status)) return;
  const why = { reason: 'ResolutionFailed', message: formatWithoutArguments(message) };
  const before = (latest.status?.conditions ?? []) as Parameters<typeof succeeded.markFalse>[0];
  const conditions = succeeded.markFalse(before, 'Succeeded', formatTime(clock.now()), why);
  const { metadata } = latest;
  const patch = { metadata: { resourceVersion: metadata.resourceVersion }, status: { data: '', conditions } };
  await client.patchStatus(ResolutionRequest, keyOf(request), mergePatch(patch), { signal });
}
