import { attemptApply, type Manifest } from '@tektite/manifest';
import type { ClusterChoice } from '../cluster/open-cluster.ts';
import { type ApplyChoices, applyOptionsOf } from '../manifest/apply-options.ts';
import { countActions } from '../manifest/manifest-view.ts';
import { type ManifestSession, manifestSession } from '../manifest/manifest-session.ts';
import { type ManifestOptions, readManifest } from '../manifest/read-manifest.ts';
import { waitUntilReady } from '../manifest/wait-until-ready.ts';
import { readDuration } from '../read-duration.ts';

export interface ApplyCommandOptions extends ManifestOptions, ApplyChoices, ClusterChoice {
  readonly namespace: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly output: string;
}

/** `tektite apply`: makes a cluster have what sources say. */
export async function apply(options: ApplyCommandOptions): Promise<void> {
  await manifestSession(options, async (session) => {
    const manifest = await readManifest(options, (text) => session.view.note(text));
    process.exitCode = (await applyAndShow(session, manifest, options)) ? 0 : 1;
  });
}

async function applyAndShow(
  session: ManifestSession,
  manifest: Manifest,
  options: ApplyCommandOptions,
): Promise<boolean> {
  const { client, view, signal } = session;
  const report = await attemptApply(client, manifest, {
    ...applyOptionsOf(options),
    ...(options.dryRun ? { dryRun: true } : {}),
    onProgress: (event) => view.progress(event),
    signal,
  });
  let ok = report.failed.length === 0;
  if (ok && options.wait && !options.dryRun) {
    const references = report.results.map(({ reference }) => reference);
    ok = await waitUntilReady(session, references, readDuration('--timeout', options.timeout));
  }
  const counts = countActions([...report.results, ...report.pruned]);
  view.ended({ counts, tookMs: session.tookMs(), ok, ...(options.set ? { set: { name: options.set } } : {}) });
  return ok;
}
