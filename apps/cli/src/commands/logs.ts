import { withCluster } from '../cluster/open-cluster.ts';
import { findRun } from '../run/find-run.ts';
import { RunSession } from '../run/run-session.ts';
import { openView } from '../run/view/open-view.ts';
import { stopSignal } from '../stop-signal.ts';
import { UserError } from '../user-error.ts';

export interface LogsOptions {
  readonly namespace: string;
  readonly kubeconfig?: string;
  readonly dataDir: string;
  readonly output: string;
}

/** `tektite logs RUN`: what a run said; of one that goes on, until its end. */
export async function logs(name: string, options: LogsOptions): Promise<void> {
  using view = openView(options.output);
  const stopped = stopSignal();
  const abort = new AbortController();
  void stopped.promise.then(() => abort.abort(new UserError('stopped; the run goes on')));
  try {
    await withCluster(options, async (client) => {
      const run = await findRun(client, name, options.namespace);
      await new RunSession(client, view, abort.signal).follow(run);
    });
  } finally {
    stopped.ignore();
  }
}
