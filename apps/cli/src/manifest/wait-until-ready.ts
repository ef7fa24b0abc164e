import { describeObject, type ObjectReference, waitForObjects, type WaitOptions } from '@tektite/manifest';
import type { ManifestSession } from './manifest-session.ts';

/** Waits until objects are ready, or gone; shows how it goes, and says in the end what is missing. */
export async function waitUntilReady(
  { client, view, signal }: ManifestSession,
  references: readonly ObjectReference[],
  options: Pick<WaitOptions, 'timeoutMs' | 'until' | 'rules'>,
): Promise<boolean> {
  const { until = 'current' } = options;
  const report = await waitForObjects(client, references, {
    ...options,
    failFast: true,
    signal,
    onChange: ({ reference, status, message }) => {
      const done = until === 'gone' ? status === 'NotFound' : status === 'Current';
      view.waiting(reference, done ? 'Current' : status, message);
    },
  });
  if (report.done) return true;
  const left = report.objects.filter(({ status }) => status !== (until === 'gone' ? 'NotFound' : 'Current'));
  const names = left.map(({ reference, status, message }) => `${describeObject(reference)} (${status}: ${message})`);
  view.note(`${report.timedOut ? 'it took too long' : 'it failed'}: ${names.join(', ')}`);
  return false;
}
