import { type Client, kinds, mergePatch, type Transport } from '@tektite/client';
import { installKinds } from '@tektite/controller';
import { type KubeObject, sleep } from '@tektite/meta';
import { TaskRunKind } from '@tektite/pipelines';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { FollowedRun } from './followed-run.ts';
import type { RunView } from './view/run-view.ts';

const namespace = 'default';
const key = { namespace, name: 'build' };

/** A server that is so busy that a Pod takes ten seconds, and its log as many. The log is given: there is no node. */
async function slowPlane() {
  const clock = virtualClock();
  const plane = await startControlPlane({ clock });
  onTestFinished(() => plane.close());
  const transport = plane.transport();
  const slow: Transport = {
    async request(request) {
      if (request.path.endsWith('/pods')) await sleep(clock, 10_000, request.signal);
      return transport.request(request);
    },
    watch: (request) => transport.watch(request),
    async stream({ signal }) {
      await sleep(clock, 10_000, signal);
      const lines = async function* () {
        yield Buffer.from('compiled\n');
      };
      return { status: 200, headers: {}, warnings: [], [Symbol.asyncIterator]: lines, close: () => undefined };
    },
    close: () => transport.close(),
  };
  await installKinds(plane.client, [TaskRunKind]);
  return { clock, client: plane.client, slow: plane.clientFor(slow, { clock }) };
}

async function createRun(client: Client, step: object): Promise<void> {
  await client.create({ apiVersion: 'tekton.dev/v1', kind: 'TaskRun', metadata: key, spec: {} } as KubeObject);
  const conditions = [{ type: 'Succeeded', status: 'True', reason: 'Succeeded' }];
  const status = { status: { podName: 'build-pod', conditions } };
  await client.patch(TaskRunKind, key, mergePatch(status), { subresource: 'status' });
  const pod = { namespace, name: 'build-pod' };
  const containers = [{ name: 'step-compile', image: 'busybox' }];
  await client.create(kinds.Pod, { metadata: pod, spec: { containers } });
  const containerStatuses = [{ name: 'step-compile', state: step }];
  await client.patch(kinds.Pod, pod, mergePatch({ status: { containerStatuses } }), { subresource: 'status' });
}

async function follow(client: Client): Promise<readonly string[]> {
  const lines: string[] = [];
  const log: RunView['log'] = (_place, line) => void lines.push(line);
  const view = { log, stepEnded: () => undefined } as Partial<RunView> as RunView;
  const run = new FollowedRun(client, { kind: 'TaskRun', key }, view, () => undefined, new AbortController().signal);
  await run.ended();
  return lines;
}

it('shows the logs of a run that has completed, however slow the server is', async () => {
  const { clock, client, slow } = await slowPlane();
  await createRun(client, { terminated: { exitCode: 0 } });
  expect(await clock.until(follow(slow))).toEqual(['compiled']);
});

it('does not wait for a Pod that goes on when its run has completed', async () => {
  const { clock, client, slow } = await slowPlane();
  await createRun(client, { waiting: { reason: 'ContainerCreating' } });
  expect(await clock.until(follow(slow))).toEqual([]);
});
