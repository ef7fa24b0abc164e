import { setTimeout as wait } from 'node:timers/promises';
import { type Client, kinds } from '@tektite/client';
import { startCluster } from '@tektite/cluster';
import { silentLogger } from '@tektite/controller';
import { globalMeter } from '@tektite/controller/observe';
import type { KubeObject } from '@tektite/meta';
import { pipelinesSystem } from '@tektite/pipelines';
import { type RunningListenerHost, startListenerHost, triggersSystem } from '@tektite/triggers';
import { Pool } from 'undici';
import { images, oneStep } from '../one-step.ts';
import { printTable, type Row } from '../table.ts';

const namespace = 'default';
const event = JSON.stringify({
  ref: 'refs/heads/main',
  after: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
  repository: { full_name: 'o/r', clone_url: 'https://example.com/o/r.git' },
  commits: Array.from({ length: 10 }, (_, index) => ({ id: `c${index}`, message: 'x'.repeat(200), added: ['a'] })),
});

/** Events over HTTP, through a CEL interceptor to a TaskRun. Sender, listeners and API server share one process. */
export async function benchTriggers({ quick }: { quick: boolean }): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  // The kinds of Pipelines with their webhooks. Their controllers are another bench.
  const { configure: _, ...pipelines } = pipelinesSystem({ images });
  const cluster = await startCluster({ systems: [{ ...pipelines, controllers: [] }, triggersSystem()] });
  const { client } = cluster;
  await install(client);
  const ok: boolean[] = [];
  const options = {
    client,
    log: silentLogger,
    systemNamespace: 'tekton-pipelines',
    listen: { host: '127.0.0.1', port: 0 },
    meter: () => globalMeter('bench'),
  };
  {
    await using host = await startListenerHost({ ...options, dryRun: true });
    const rows = await measure(host, { count: quick ? 4000 : 20_000, perSecond: 500, target: 2000 });
    ok.push(printTable('Events through a CEL interceptor to the dry-run creation of a TaskRun', rows));
  }
  {
    await using host = await startListenerHost(options);
    const rows = await measure(host, { count: quick ? 400 : 2000, perSecond: 200, target: 200 });
    ok.push(printTable('Events through a CEL interceptor to the creation of a TaskRun', rows));
  }
  await cluster.close();
  clearInterval(alive);
  process.exitCode = ok.every(Boolean) ? 0 : 1;
}

async function measure(
  host: RunningListenerHost,
  { count, perSecond, target }: { readonly count: number; readonly perSecond: number; readonly target: number },
): Promise<readonly Row[]> {
  const pool = new Pool(host.url, { connections: 32 });
  const send = async () => {
    const { body, statusCode } = await pool.request({ method: 'POST', path: `/${namespace}/bench`, body: event });
    await body.dump();
    if (statusCode !== 202) throw new Error(`answered with ${statusCode}`);
  };
  const many = async (total: number) => {
    let left = total;
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        while (left-- > 0) {
          // A sender that waits for its turn: events do not pile up in memory.
          while (host.sink.pending > 64) await new Promise(setImmediate);
          await send();
        }
      }),
    );
    await host.sink.idle();
  };
  await many(count / 10);
  const started = performance.now();
  await many(count);
  const rate = count / ((performance.now() - started) / 1000);
  const times = await paced(host, send, perSecond, Math.min(count, perSecond * 4));
  await pool.close();
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return [
    { what: `${count} events`, value: rate, unit: 'events/s', target: { value: target, better: 'more' } },
    { what: `${perSecond} a second, received to created, p50`, value: at(0.5), unit: 'ms' },
    {
      what: `${perSecond} a second, received to created, p99`,
      value: at(0.99),
      unit: 'ms',
      target: { value: 20, better: 'less' },
    },
  ];
}

/** The times from sending an event until its objects exist, at a steady rate. */
async function paced(
  host: RunningListenerHost,
  send: () => Promise<void>,
  perSecond: number,
  count: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  const began = performance.now();
  const all: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const due = began + (index * 1000) / perSecond;
    if (due > performance.now()) await wait(due - performance.now());
    const sent = performance.now();
    all.push(
      send()
        .then(() => host.sink.idle())
        .then(() => void times.push(performance.now() - sent)),
    );
  }
  await Promise.all(all);
  return times.sort((a, b) => a - b);
}

async function install(client: Client): Promise<void> {
  const roleRef = {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    name: 'tekton-triggers-eventlistener-roles',
  };
  await client.create(kinds.ServiceAccount, { metadata: { namespace, name: 'listener' } });
  await client.create(kinds.RoleBinding, {
    metadata: { namespace, name: 'listener' },
    roleRef,
    subjects: [{ kind: 'ServiceAccount', name: 'listener', namespace }],
  });
  await client.create({
    apiVersion: 'triggers.tekton.dev/v1beta1',
    kind: 'EventListener',
    metadata: { namespace, name: 'bench' },
    spec: {
      serviceAccountName: 'listener',
      triggers: [
        {
          name: 'push',
          interceptors: [
            {
              ref: { name: 'cel' },
              params: [
                { name: 'filter', value: "header.match('content-type', '') && body.ref.startsWith('refs/heads/')" },
                { name: 'overlays', value: [{ key: 'short', expression: 'body.after.truncate(7)' }] },
              ],
            },
          ],
          bindings: [
            { name: 'sha', value: '$(extensions.short)' },
            { name: 'url', value: '$(body.repository.clone_url)' },
          ],
          template: {
            spec: {
              params: [{ name: 'sha' }, { name: 'url' }],
              resourcetemplates: [
                {
                  apiVersion: 'tekton.dev/v1',
                  kind: 'TaskRun',
                  metadata: {
                    generateName: 'push-',
                    annotations: { sha: '$(tt.params.sha)', url: '$(tt.params.url)' },
                  },
                  spec: oneStep,
                },
              ],
            },
          },
        },
      ],
    },
  } as KubeObject);
}
