import { connect } from 'node:http2';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { startSystems } from '@tektite/controller';
import type { Kind } from '@tektite/schema';
import { customResourceDefinition } from '@tektite/schema';
import { startControlPlane } from '@tektite/testkit';
import { CustomRun, PipelineRun, type Run, TaskRun } from './kinds/runs.ts';
import { resultsSystem, serviceName, urlAnnotation } from './system.ts';
import { decode, encode } from './wire/binary.ts';
import type { MessageDescriptor } from './wire/message.ts';
import { frame } from './server/frames.ts';

/** For tests: an archive on a control plane without Tekton Pipelines, and a client of its API. */

export const namespace = 'default';
const systemNamespace = 'tekton-pipelines';

export async function installRuns(client: Client): Promise<void> {
  for (const kind of [TaskRun, PipelineRun, CustomRun])
    await client.create(customResourceDefinition([kind as Kind]) as never);
}

export const succeeded = {
  startTime: '2026-01-02T03:04:05Z',
  completionTime: '2026-01-02T03:05:05Z',
  conditions: [{ type: 'Succeeded', status: 'True', reason: 'Succeeded', lastTransitionTime: '2026-01-02T03:05:05Z' }],
};

export async function createRun(
  client: Client,
  kind: Kind<Run>,
  name: string,
  { status = succeeded, ...metadata }: { readonly status?: object } & Run['metadata'] = {},
): Promise<Run> {
  const key = { namespace: metadata.namespace ?? namespace, name };
  await client.create(kind, { metadata: { ...metadata, ...key }, spec: {} } as never);
  return client.patchStatus(kind, key, mergePatch({ status }));
}

/** A folder that is removed after the test. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'results-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export interface Answer {
  readonly code: number;
  readonly body: unknown;
}

/** An archive that runs, with a token for each service account that a test names. */
export async function startArchive(settings: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const plane = await startControlPlane();
  const { client } = plane;
  await installRuns(client);
  await client.create(kinds.Namespace, { metadata: { name: systemNamespace } });
  const metadata = { name: 'tekton-results-watcher-config', namespace: systemNamespace };
  await client.create(kinds.ConfigMap, { metadata, data: settings });
  const start = () => startSystems([resultsSystem({ folder: folder.path })], { client });
  let running = await start();
  const urlOf = async () => {
    const { annotations } = (await client.get(kinds.Service, { namespace: systemNamespace, name: serviceName }))
      .metadata;
    return annotations?.[urlAnnotation] ?? '';
  };
  const archive = {
    client,
    folder: folder.path,
    urlOf,
    async restart() {
      await running[Symbol.asyncDispose]();
      running = await start();
    },
    /** A token of a service account with a role of this namespace, or of all. */
    async tokenOf(account: string, role: string, where: string | null = namespace): Promise<string> {
      await client.create(kinds.ServiceAccount, { metadata: { namespace, name: account } });
      const binding = {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `tekton-results-${role}` },
        subjects: [{ kind: 'ServiceAccount', namespace, name: account }],
      };
      if (where === null)
        await client.create(kinds.ClusterRoleBinding, { metadata: { name: account }, ...binding } as never);
      else
        await client.create(kinds.RoleBinding, { metadata: { namespace: where, name: account }, ...binding } as never);
      const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} };
      const answer = await client.createSubresource(
        kinds.ServiceAccount,
        { namespace, name: account },
        'token',
        request as never,
      );
      return (answer as unknown as { status: { token: string } }).status.token;
    },
    async rest(token: string, method: string, path: string, body?: object): Promise<Answer> {
      return request(await urlOf(), token, method, `/apis/results.tekton.dev/v1alpha2/parents/${path}`, body);
    },
    async grpc<In, Out>(
      token: string,
      method: string,
      shape: { readonly input: MessageDescriptor<In>; readonly output: MessageDescriptor<Out> },
      messages: readonly In[],
      headers: Readonly<Record<string, string>> = {},
    ) {
      return callGrpc(await urlOf(), token, method, shape, messages, headers);
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await plane.close();
      folder[Symbol.dispose]();
    },
  };
  return archive;
}

interface Exchange {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

function exchange(url: string, headers: Record<string, string>, body: Buffer): Promise<Exchange> {
  const session = connect(url, { rejectUnauthorized: false });
  return new Promise<Exchange>((resolve, reject) => {
    session.once('error', reject);
    const stream = session.request(headers, { endStream: body.length === 0 });
    const chunks: Buffer[] = [];
    let seen: Record<string, unknown> = {};
    stream.on('response', (received) => (seen = { ...seen, ...received }));
    stream.on('trailers', (received) => (seen = { ...seen, ...received }));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('error', reject);
    stream.once('close', () => resolve({ headers: seen, body: Buffer.concat(chunks) }));
    if (body.length > 0) stream.end(body);
  }).finally(() => session.close());
}

export async function request(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const { headers, body: answer } = await exchange(
    url,
    { ':method': method, ':path': path, authorization: `Bearer ${token}` },
    Buffer.from(body ? JSON.stringify(body) : ''),
  );
  const text = answer.toString();
  const isJson = String(headers['content-type']).includes('json');
  return { code: Number(headers[':status']), body: isJson ? (JSON.parse(text) as unknown) : text };
}

export async function callGrpc<In, Out>(
  url: string,
  token: string,
  method: string,
  { input, output }: { readonly input: MessageDescriptor<In>; readonly output: MessageDescriptor<Out> },
  messages: readonly In[],
  headers: Readonly<Record<string, string>> = {},
) {
  const { headers: received, body } = await exchange(
    url,
    {
      ':method': 'POST',
      ':path': `/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    Buffer.concat(messages.map((each) => frame(encode(input, each)))),
  );
  const answers: Out[] = [];
  for (let at = 0; at < body.length; ) {
    const length = body.readUInt32BE(at + 1);
    answers.push(decode(output, body.subarray(at + 5, at + 5 + length)));
    at += 5 + length;
  }
  return { status: Number(received['grpc-status']), message: received['grpc-message'], answers };
}
