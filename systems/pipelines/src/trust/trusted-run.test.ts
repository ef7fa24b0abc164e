import { generateKeyPairSync } from 'node:crypto';
import type { KubeObject } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Pipeline, PipelineRun, Task, TaskRun } from '../kinds/kinds.ts';
import type { RunCondition } from '../kinds/run-status.ts';
import { VerificationPolicy } from '../kinds/verification-policy.ts';
import { ResolverBench } from '../resolution/test-support.ts';
import { signable } from '../resolution/signable.ts';
import { signObject } from './sign-object.ts';

const namespace = 'default';
const { publicKey, privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
let bench: ResolverBench;

beforeAll(async () => {
  bench = await ResolverBench.start();
  const { client } = bench.plane;
  const object = (kind: string, name: string, spec: object) =>
    ({ apiVersion: 'tekton.dev/v1', kind, metadata: { namespace, name }, spec }) as KubeObject;
  const task = { params: [{ name: 'p', default: 'x' }], steps: [{ image: 'busybox', script: 'echo' }] };
  await client.create(Task, signObject(signable(object('Task', 'signed', task)), privateKey) as never);
  await client.create(Task, object('Task', 'unsigned', task) as never);
  const pipeline = { tasks: [{ name: 'a', taskRef: { name: 'signed' } }] };
  await client.create(Pipeline, signObject(signable(object('Pipeline', 'signed', pipeline)), privateKey) as never);
  await client.create(Pipeline, object('Pipeline', 'unsigned', pipeline) as never);
  const spec = { resources: [{ pattern: '.*' }], authorities: [{ name: 'me', key: { data: publicKey } }] };
  await client.create(VerificationPolicy, { metadata: { namespace, name: 'policy' }, spec });
});
afterAll(() => bench.stop());

const from = (kind: string, name: string) => ({
  resolver: 'cluster',
  params: Object.entries({ kind, name, namespace }).map(([param, value]) => ({ name: param, value })),
});

/** The conditions of a run, as soon as it is decided whether what it uses is trusted. */
async function conditions(read: () => Promise<{ status?: { conditions?: readonly RunCondition[] } }>) {
  return vi.waitFor(
    async () => {
      const { status } = await read();
      const found = new Map((status?.conditions ?? []).map((condition) => [condition.type, condition]));
      if (!found.has('TrustedResourcesVerified')) throw new Error(JSON.stringify(status));
      return { trusted: found.get('TrustedResourcesVerified'), succeeded: found.get('Succeeded') };
    },
    { timeout: 10_000 },
  );
}

const message = (kind: string) =>
  `resource verification failed: resource ${kind} in namespace default fails verification`;

describe('a TaskRun', () => {
  async function run(name: string) {
    const { client } = bench.plane;
    await client.create(TaskRun, { metadata: { namespace, name }, spec: { taskRef: from('task', name) } });
    return conditions(() => client.get(TaskRun, { namespace, name }));
  }

  it('whose Task is signed goes on, and says so', async () => {
    const { trusted, succeeded } = await run('signed');
    expect(trusted).toMatchObject({ status: 'True' });
    expect(succeeded).toMatchObject({ status: 'Unknown' });
  });

  it('whose Task is not signed fails', async () => {
    const { trusted, succeeded } = await run('unsigned');
    expect(trusted).toMatchObject({ status: 'False', message: message('unsigned') });
    expect(succeeded).toMatchObject({
      status: 'False',
      reason: 'ResourceVerificationFailed',
      message: message('unsigned'),
    });
  });
});

describe('a PipelineRun', () => {
  async function run(name: string) {
    const { client } = bench.plane;
    await client.create(PipelineRun, { metadata: { namespace, name }, spec: { pipelineRef: from('pipeline', name) } });
    return conditions(() => client.get(PipelineRun, { namespace, name }));
  }

  it('whose Pipeline is signed goes on, and says so', async () => {
    const { trusted, succeeded } = await run('signed');
    expect(trusted).toMatchObject({ status: 'True' });
    expect(succeeded).toMatchObject({ status: 'Unknown' });
  });

  it('whose Pipeline is not signed fails', async () => {
    const { trusted, succeeded } = await run('unsigned');
    const words = `pipelineRun default/unsigned referred resource unsigned failed signature verification: ${message('unsigned')}`;
    expect(trusted).toMatchObject({ status: 'False', message: words });
    expect(succeeded).toMatchObject({ status: 'False', reason: 'ResourceVerificationFailed' });
  });
});
