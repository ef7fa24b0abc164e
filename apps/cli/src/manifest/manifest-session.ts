import type { Client } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { stopSignal } from '../stop-signal.ts';
import { UserError } from '../user-error.ts';
import type { ManifestView } from './manifest-view.ts';
import { openManifestView } from './open-manifest-view.ts';

/** The client, signal and output of a command on a cluster. */
export interface ManifestSession {
  readonly client: Client;
  readonly view: ManifestView;
  readonly signal: AbortSignal;
  /** Since the beginning. */
  tookMs(): number;
}

/** Runs a command on a cluster: Ctrl-C stops it between two requests, and errors are reported in one sentence. */
export async function manifestSession(
  options: ClusterChoice & { readonly output: string },
  work: (session: ManifestSession) => Promise<void>,
): Promise<void> {
  using view = openManifestView(options.output);
  const began = systemClock.monotonic();
  const stopped = stopSignal();
  const abort = new AbortController();
  void stopped.promise.then(() => abort.abort(new UserError('stopped; run it again to go on', 130)));
  try {
    await withCluster(options, (client) => {
      // Discovery runs while files are read here. Its error is reported where discovery is needed.
      void client.discovery.all().catch(() => undefined);
      return work({ client, view, signal: abort.signal, tookMs: () => systemClock.monotonic() - began });
    });
  } finally {
    stopped.ignore();
  }
}
