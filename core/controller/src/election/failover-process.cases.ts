import { Client, httpTransport, kinds, mergePatch, staticCredentials } from '@tektite/client';
import { sleep, systemClock } from '@tektite/meta';
import type { ElectionTiming } from './election-timing.ts';
import { fencedClient } from './fenced-client.ts';
import { LeaderElector } from './leader-elector.ts';

/** The settings of a candidate, as JSON in the environment variable `CANDIDATE`. */
export interface CandidateSettings extends ElectionTiming {
  readonly server: string;
  readonly certificateAuthority: string;
  readonly clientCertificate: { readonly certificate: string; readonly key: string };
  readonly identity: string;
  /** Of the Lease, and of the ConfigMap that the leader writes to all the time. */
  readonly name: string;
}

/** A whole program: it competes, and while it leads it writes, until it is killed or its standard input ends. */
export async function candidate(): Promise<void> {
  process.stdin.on('end', () => process.exit(0)).resume();
  const settings = JSON.parse(process.env['CANDIDATE'] ?? '') as CandidateSettings;
  const { server, certificateAuthority, clientCertificate, identity, name, ...timing } = settings;
  const credentials = staticCredentials({ clientCertificate });
  const client = new Client(httpTransport({ server, certificateAuthority, namespace: 'default', credentials }));
  const key = { namespace: 'default', name };
  const report = (error: unknown) => void process.stderr.write(`${identity}: ${String(error)}\n`);
  const elector = new LeaderElector(client, { ...timing, lease: key, identity, onError: report });
  void elector.run(new AbortController().signal);
  for (let count = 0; ; count++) {
    await sleep(systemClock, 20);
    const fence = fencedClient(client, elector.signalFor(), { ownership: elector, key: `default/${name}` });
    const patch = mergePatch({ data: { by: identity, count: String(count) } });
    await fence.patch(kinds.ConfigMap, key, patch).catch(() => {});
  }
}
