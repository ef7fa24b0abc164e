import { expect, it } from 'vitest';
import { currentRevision, revisionOf } from './revision.ts';

const withRevision = (text: string) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { annotations: { 'deployment.kubernetes.io/revision': text } },
});

it.each([
  ['3', 3n],
  ['9223372036854775806', 9_223_372_036_854_775_806n],
  ['9223372036854775808', 0n],
  ['three', 0n],
  ['', 0n],
])('reads the revision %j exactly, as 64 bits', (text, revision) => {
  expect(revisionOf(withRevision(text))).toBe(revision);
});

it('counts on from a revision beyond 2^53', () => {
  const old = [withRevision('9007199254740993'), withRevision('7')];
  expect(currentRevision({ old } as unknown as Parameters<typeof currentRevision>[0])).toBe(9_007_199_254_740_994n);
});
