import {
  type ApplyManifestOptions,
  type ApplyReport,
  attemptApply,
  type Manifest,
  recordRevision,
} from '@tektite/manifest';
import { readDuration } from '../read-duration.ts';
import type { ManifestSession } from './manifest-session.ts';
import { countActions } from './manifest-view.ts';
import { waitUntilReady } from './wait-until-ready.ts';

export interface ShownApply {
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly timeout: string;
  /** What the history says of it, instead of what was done. */
  readonly why?: string;
}

/** Applies a manifest, shows how it goes, waits if that is asked for, and keeps what was applied in the history of its set. */
export async function applyAndShow(
  session: ManifestSession,
  manifest: Manifest,
  choices: ApplyManifestOptions,
  { dryRun, wait, timeout, why }: ShownApply,
): Promise<boolean> {
  const { client, view, signal } = session;
  const timeoutMs = readDuration('--timeout', timeout);
  const report = await attemptApply(client, manifest, {
    ...choices,
    ...(dryRun ? { dryRun } : {}),
    onProgress: (event) => view.progress(event),
    signal,
  });
  const counts = countActions([...report.results, ...report.pruned]);
  const applied = report.failed.length === 0;
  const revision = applied && !dryRun ? await record(session, manifest, choices, report, why) : undefined;
  const references = report.results.map(({ reference }) => reference);
  const ok = applied && (!wait || dryRun || (await waitUntilReady(session, references, timeoutMs)));
  const set = choices.set ? { set: { name: choices.set.name, ...(revision ? { revision } : {}) } } : {};
  view.ended({ counts, tookMs: session.tookMs(), ok, ...set });
  return ok;
}

async function record(
  { client, signal }: ManifestSession,
  manifest: Manifest,
  { set }: ApplyManifestOptions,
  report: ApplyReport,
  why: string | undefined,
): Promise<number | undefined> {
  if (!set) return undefined;
  const counts = [...countActions([...report.results, ...report.pruned])].map(
    ([action, count]) => `${count} ${action}`,
  );
  const summary = why ? `${why}: ${counts.join(', ')}` : counts.join(', ');
  return recordRevision(client, set, manifest, { summary, signal });
}
