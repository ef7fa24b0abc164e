import { type Client, mergePatch, type ObjectKey } from '@tektite/client';
import { type CancelMode, cancelStatus } from '@tektite/dashboard/run';
import { runKinds, type RunKind } from '../input/run-kinds.ts';

/** Asks a run to end. */
export async function cancelRun(
  client: Client,
  kind: RunKind,
  key: ObjectKey,
  mode: CancelMode = 'now',
): Promise<void> {
  await client.patch(runKinds[kind], key, mergePatch({ spec: { status: cancelStatus(kind, mode) } }));
}
