import { join } from 'node:path';
import {
  ApiServer,
  clientCertificateAuthenticator,
  createSigningKey,
  inProcessTransport,
  RevisionStore,
  serveHttps,
} from '@tektite/apiserver';
import { Client } from '@tektite/client';
import type { Logger, System } from '@tektite/controller';
import type { ImageMapping } from '@tektite/node';
import { runCluster } from './cluster/run-cluster.ts';
import { serviceRange } from './cluster/service-range.ts';
import { saveObjects } from './run/save-objects.ts';
import { createServerKeys } from './pki/server-keys.ts';
import { type Started, startTogether } from './start-together.ts';
import { runSystemsOnce } from './systems/run-systems.ts';
import { createTemporaryFolder, makeTemporaryFolder } from './temporary-folder.ts';

export interface OneShotOptions {
  /** Images mapped to this machine: Pods are its processes. */
  readonly images?: ImageMapping;
  readonly systems: readonly System[];
  /** Keeps the folder with logs, volumes and, at its end, the objects. */
  readonly keep?: boolean;
  /** Failures that are tried again. */
  readonly log: Logger;
  /** Called with each fact that users should know and that is no failure. */
  readonly onNotice: (text: string) => void;
}

const host = '127.0.0.1';

/**
 * Starts a control plane for one piece of work, and gives a client of it. All is in memory, and gone when what was `started` is
 * undone, the last first. The user waits for a run, so it leaves out what only other clients need: a kubeconfig,
 * keys on disk, and HTTP between itself and its parts. Its API is served all the same: containers may ask it.
 */
export async function startOneShotPlane(options: OneShotOptions, started: Started): Promise<Client> {
  const { keep, onNotice } = options;
  const folder = keep ? await makeKeptFolder(started, onNotice) : await makeTemporaryFolder(started);
  const { authority, server: own } = await createServerKeys(host);
  const server = await ApiServer.create({
    storage: new RevisionStore(),
    authenticators: [clientCertificateAuthenticator],
    // One for RSA, as clusters have it, would take longer than many a run.
    serviceAccountKey: () => createSigningKey('ec'),
    serviceRange: serviceRange(folder),
    onError: (error) => options.log.error('API server', { error }),
  });
  started.push(() => server.close());
  const { key, certificate } = own;
  const http = await serveHttps({
    host,
    port: 0,
    key,
    certificate,
    clientCa: authority.certificate,
    admit: (request) => server.admit(request),
    handle: (request) => server.handle(request),
  });
  started.push(() => http.close());
  const api = { host, port: http.port };
  await startTogether(started, [
    (own) =>
      runCluster(
        { ...options, server, runtime: 'host', folder, pki: { authority, bundle: authority.certificate }, api },
        own,
      ),
    (own) => runSystemsOnce(server, options.systems, options.log, own),
  ]);
  const client = new Client(inProcessTransport(server, { name: 'tektite-admin', groups: ['system:masters'] }));
  started.push(() => client.close());
  if (options.keep) started.push(() => saveObjects(client, join(folder, 'objects.yaml')));
  return client;
}

async function makeKeptFolder(started: Started, onNotice: (text: string) => void): Promise<string> {
  const folder = await createTemporaryFolder();
  started.push(async () => onNotice(`kept in ${folder}: objects.yaml, node/logs, volumes`));
  return folder;
}
