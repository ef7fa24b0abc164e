import { discoveredScopes, referenceTo } from '@tektite/manifest';
import type { ClusterChoice } from '../cluster/open-cluster.ts';
import { manifestSession } from '../manifest/manifest-session.ts';
import { type ManifestOptions, readManifest } from '../manifest/read-manifest.ts';
import { readHealth } from '../manifest/read-health.ts';
import { waitUntilReady } from '../manifest/wait-until-ready.ts';
import { readDuration } from '../read-duration.ts';
import { UserError } from '../user-error.ts';

export interface WaitCommandOptions extends ManifestOptions, ClusterChoice {
  readonly for: string;
  readonly timeout: string;
  readonly health?: string;
  readonly output: string;
}

/** `tektite wait`: waits until the objects of sources are ready, or deleted. */
export async function wait(options: WaitCommandOptions): Promise<void> {
  // `gone` is the word of earlier releases.
  if (!['ready', 'delete', 'gone'].includes(options.for))
    throw new UserError(`--for must be ready or delete, not ${JSON.stringify(options.for)}`, 2);
  const until = options.for === 'ready' ? 'current' : 'gone';
  await manifestSession(options, async (session) => {
    const manifest = await readManifest(options, (text) => session.view.note(text));
    const scopes = await discoveredScopes(session.client, manifest);
    const references = manifest.objects
      .filter(({ metadata }) => metadata.name)
      .map((object) => {
        const { namespace = options.namespace, ...rest } = referenceTo(object);
        return scopes.of(object) === 'Cluster' ? rest : { ...rest, namespace };
      });
    const timeoutMs = readDuration('--timeout', options.timeout);
    const ok = await waitUntilReady(session, references, { timeoutMs, until, ...(await readHealth(options.health)) });
    const counts = new Map([[ok ? (until === 'gone' ? 'deleted' : 'ready') : 'waited for', references.length]]);
    session.view.ended({ counts, tookMs: session.tookMs(), ok });
    process.exitCode = ok ? 0 : 1;
  });
}
