import { deleteManifest } from '@tektite/manifest';
import type { ClusterChoice } from '../cluster/open-cluster.ts';
import { manifestSession } from '../manifest/manifest-session.ts';
import { type ManifestOptions, readManifest } from '../manifest/read-manifest.ts';
import { readDuration } from '../read-duration.ts';
import { UserError } from '../user-error.ts';

export interface DeleteCommandOptions extends ManifestOptions, ClusterChoice {
  readonly cascade: string;
  readonly wait: boolean;
  readonly timeout: string;
  readonly namespaces?: boolean;
  readonly forceFinalizer: readonly string[];
  readonly dryRun?: boolean;
  readonly output: string;
}

const propagations: Readonly<Record<string, 'Background' | 'Foreground' | 'Orphan'>> = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
};

/** `tektite delete`: deletes what sources say, in the reverse order of `apply`. */
export async function deleteObjects(options: DeleteCommandOptions): Promise<void> {
  if (options.file.length === 0)
    throw new UserError('name what to delete: -f FILE for the objects of a manifest, or `tektite delete run NAME`', 2);
  const propagation = propagations[options.cascade];
  if (!propagation)
    throw new UserError(
      `--cascade must be background, foreground or orphan, not ${JSON.stringify(options.cascade)}`,
      2,
    );
  await manifestSession(options, async ({ client, view, signal, tookMs }) => {
    const manifest = await readManifest(options, (text) => view.note(text));
    const report = await deleteManifest(client, manifest, {
      namespace: options.namespace,
      propagation,
      wait: options.wait,
      timeoutMs: readDuration('--timeout', options.timeout),
      forceFinalizers: options.forceFinalizer,
      ...(options.namespaces ? { deleteNamespaces: true } : {}),
      ...(options.dryRun ? { dryRun: true } : {}),
      onProgress: (event) => view.progress(event),
      signal,
    });
    const kept = report.results.filter(({ action, reference }) => action === 'kept' && reference.kind === 'Namespace');
    for (const { reference } of kept)
      view.note(`the namespace ${reference.name} is kept; --namespaces deletes it, with everything in it`);
    const counts = new Map<string, number>();
    for (const { action } of report.results) counts.set(action, (counts.get(action) ?? 0) + 1);
    const ok = report.failed.length === 0;
    view.ended({ counts, tookMs: tookMs(), ok });
    process.exitCode = ok ? 0 : 1;
  });
}
