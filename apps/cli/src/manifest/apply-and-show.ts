import { type ApplyManifestOptions, attemptApply, type Manifest } from '@tektite/manifest';
import { readDuration } from '../read-duration.ts';
import type { ManifestSession } from './manifest-session.ts';
import { countActions } from './manifest-view.ts';
import { readHealth } from './read-health.ts';
import { waitUntilReady } from './wait-until-ready.ts';

export interface ShownApply {
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly timeout: string;
  /** A file that says when objects of some kinds are ready. */
  readonly health?: string;
  /** The reason for the history, instead of the list of changes. */
  readonly why?: string;
}

/** Applies a manifest, shows how it goes, waits if that is asked for, and keeps what was applied in the history of its set. */
export async function applyAndShow(
  session: ManifestSession,
  manifest: Manifest,
  choices: ApplyManifestOptions,
  { dryRun, wait, timeout, health, why }: ShownApply,
): Promise<boolean> {
  const { client, view, signal } = session;
  const readiness = { timeoutMs: readDuration('--timeout', timeout), ...(await readHealth(health)) };
  const report = await attemptApply(client, manifest, {
    ...choices,
    resultObjects: 'metadata',
    ...(dryRun ? { dryRun } : {}),
    ...(why ? { history: { why } } : {}),
    onProgress: (event) => view.progress(event),
    signal,
  });
  const counts = countActions([...report.results, ...report.pruned]);
  const applied = report.failed.length === 0;
  const references = report.results.map(({ reference }) => reference);
  const ok = applied && (!wait || dryRun || (await waitUntilReady(session, references, readiness)));
  const set = choices.set
    ? { set: { name: choices.set.name, ...(report.revision ? { revision: report.revision } : {}) } }
    : {};
  view.ended({ counts, tookMs: session.tookMs(), ok, ...set });
  return ok;
}
