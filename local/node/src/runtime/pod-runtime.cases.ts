import { jsonPatch, kinds } from '@tektite/client';
import type { Container, Pod } from '@tektite/schema/kubernetes';
import { describe, expect, test } from 'vitest';
import { type Simulation, simulationAnnotation } from '../simulated/simulation.ts';
import type { TestNode } from '../test-support.ts';

/** How a container is to behave: as a script for runtimes that run programs, and as an annotation for those that do not. */
export type Behaviour = Pick<Simulation, 'runMs' | 'exitCode' | 'log' | 'terminationMessage'> & Partial<Container>;

function script({ runMs, exitCode = 0, log = '', terminationMessage }: Behaviour): string {
  const last = terminationMessage === undefined ? '' : `printf '%s' '${terminationMessage}' >/dev/termination-log;`;
  // The first process of a container ignores what it does not handle; a container that runs for ever shall not.
  const wait = runMs === undefined ? 'trap "exit 143" TERM; while :; do sleep 0.05; done;' : `sleep ${runMs / 1000};`;
  return `printf '%s' '${log}'; ${wait} ${last} exit ${exitCode}`;
}

interface Behaviours {
  readonly init?: Readonly<Record<string, Behaviour>>;
  readonly main: Readonly<Record<string, Behaviour>>;
}

export async function runBehaviour(
  here: TestNode,
  name: string,
  { init = {}, main }: Behaviours,
  spec: Partial<NonNullable<Pod['spec']>> = {},
): Promise<Pod> {
  const container = ([containerName, behaviour]: [string, Behaviour]): Container => {
    const { runMs: _, exitCode: __, log: ___, terminationMessage: ____, ...more } = behaviour;
    return { name: containerName, image: here.image ?? 'example', command: ['sh', '-c', script(behaviour)], ...more };
  };
  const containers = Object.fromEntries(
    Object.entries({ ...init, ...main }).map(([key, { runMs, exitCode, log, terminationMessage }]) => [
      key,
      { runMs, exitCode, log, terminationMessage },
    ]),
  );
  return here.run(
    name,
    {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 5,
      initContainers: Object.entries(init).map(container),
      containers: Object.entries(main).map(container),
      ...spec,
    },
    { annotations: { [simulationAnnotation]: JSON.stringify({ containers }) } },
  );
}

const statusOf = (pod: Pod, name: string) =>
  [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].find(
    (one) => one.name === name,
  );
const condition = (pod: Pod, type: string) => pod.status?.conditions?.find((one) => one.type === type);

/** By the request to end, or, if that came before the program could take it, by force. */
const ends = [143, 137];

/** Cases of Pods on every runtime. */
export function podRuntimeCases(runtime: string, startNode: () => Promise<TestNode>, image = 'example'): void {
  const start = async () => Object.assign(await startNode(), { image });
  describe(`Pods on ${runtime}`, () => {
    test('succeed when all containers do, and say so as kubelets do', async () => {
      await using here = await start();
      await runBehaviour(here, 'pair', {
        main: { b: { runMs: 20, log: 'hello\n' }, a: { runMs: 10, terminationMessage: 'all well' } },
      });
      const pod = await here.done('pair');
      expect(pod.status).toMatchObject({ phase: 'Succeeded', qosClass: 'BestEffort', observedGeneration: 1 });
      expect(pod.status?.containerStatuses?.map(({ name }) => name)).toEqual(['b', 'a']);
      expect(statusOf(pod, 'a')).toMatchObject({
        ready: false,
        started: false,
        restartCount: 0,
        lastState: {},
        image,
      });
      const ended = statusOf(pod, 'a')?.state?.terminated;
      expect(ended).toMatchObject({ exitCode: 0, reason: 'Completed', message: 'all well' });
      expect(ended?.containerID).toBe(statusOf(pod, 'a')?.containerID);
      expect(condition(pod, 'Initialized')).toMatchObject({ status: 'True', reason: 'PodCompleted' });
      for (const type of ['Ready', 'ContainersReady'])
        expect(condition(pod, type)).toMatchObject({ status: 'False', reason: 'PodCompleted' });
      expect(condition(pod, 'PodScheduled')).toMatchObject({ status: 'True' });
      expect(pod.status?.conditions?.map(({ type }) => type)).toEqual([
        'PodReadyToStartContainers',
        'Initialized',
        'Ready',
        'ContainersReady',
        'PodScheduled',
      ]);
      expect(await here.log('pair', { container: 'b' })).toBe('hello\n');
      expect(here.errors).toEqual([]);
    });

    test('fail when one container does', async () => {
      await using here = await start();
      await runBehaviour(here, 'pair', { main: { good: { runMs: 5 }, bad: { runMs: 5, exitCode: 3 } } });
      const pod = await here.done('pair');
      expect(pod.status?.phase).toBe('Failed');
      expect(statusOf(pod, 'bad')?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
      expect(condition(pod, 'Ready')).toMatchObject({ status: 'False', reason: 'PodFailed' });
    });

    test('are running and ready while their containers are', async () => {
      await using here = await start();
      await runBehaviour(here, 'server', { main: { main: {} } });
      const pod = await here.until('server', (one) => condition(one, 'Ready')?.status === 'True');
      expect(pod.status?.phase).toBe('Running');
      expect(statusOf(pod, 'main')).toMatchObject({ ready: true, started: true });
      expect(statusOf(pod, 'main')?.state?.running?.startedAt).toMatch(/^\d{4}-/);
      expect(condition(pod, 'PodReadyToStartContainers')).toMatchObject({ status: 'True' });
      if (here.network) expect(pod.status?.podIP).toMatch(/^10\.244\./);
      else expect(pod.status?.podIP).toBe(pod.status?.hostIP);
    });

    test('run init containers one after the other before all others', async () => {
      await using here = await start();
      await runBehaviour(here, 'staged', {
        init: { first: { runMs: 30 }, second: { runMs: 30 } },
        main: { main: { runMs: 10 } },
      });
      const early = await here.until('staged', (pod) => statusOf(pod, 'first')?.state?.running !== undefined);
      expect(early.status?.phase).toBe('Pending');
      expect(statusOf(early, 'main')?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
      expect(condition(early, 'Initialized')).toMatchObject({
        status: 'False',
        reason: 'ContainersNotInitialized',
        message: 'containers with incomplete status: [first second]',
      });
      expect(condition(early, 'ContainersReady')).toMatchObject({ message: 'containers with unready status: [main]' });
      const pod = await here.done('staged');
      expect(pod.status?.phase).toBe('Succeeded');
      expect(statusOf(pod, 'first')?.ready).toBe(true);
      const end = (name: string) => Date.parse(statusOf(pod, name)?.state?.terminated?.finishedAt ?? '');
      expect(end('first')).toBeLessThanOrEqual(end('second'));
      expect(end('second')).toBeLessThanOrEqual(end('main'));
    });

    test('fail with their init container when nothing is to be repeated', async () => {
      await using here = await start();
      await runBehaviour(here, 'stuck', { init: { broken: { runMs: 5, exitCode: 1 } }, main: { main: { runMs: 5 } } });
      const pod = await here.done('stuck');
      expect(pod.status?.phase).toBe('Failed');
      expect(statusOf(pod, 'main')?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
    });

    test('keep sidecars running beside the others, and end them after', async () => {
      await using here = await start();
      await runBehaviour(here, 'helped', {
        init: { helper: { restartPolicy: 'Always' } },
        main: { main: { runMs: 60 } },
      });
      const both = await here.until('helped', (pod) => statusOf(pod, 'main')?.state?.running !== undefined);
      expect(statusOf(both, 'helper')).toMatchObject({ started: true, ready: true });
      expect(both.status?.phase).toBe('Running');
      const pod = await here.done('helped');
      expect(pod.status?.phase).toBe('Succeeded');
      expect(ends).toContain(statusOf(pod, 'helper')?.state?.terminated?.exitCode);
    });

    test('repeat what failed, then wait longer and longer', async () => {
      await using here = await start();
      await runBehaviour(
        here,
        'flaky',
        { main: { main: { runMs: 5, exitCode: 1, log: 'again\n' } } },
        { restartPolicy: 'OnFailure' },
      );
      const pod = await here.until(
        'flaky',
        (one) => statusOf(one, 'main')?.state?.waiting?.reason === 'CrashLoopBackOff',
      );
      const uid = pod.metadata.uid;
      expect(pod.status?.phase).toBe('Running');
      expect(statusOf(pod, 'main')).toMatchObject({
        restartCount: 1,
        state: { waiting: { message: `back-off 10s restarting failed container=main pod=flaky_default(${uid})` } },
        lastState: { terminated: { exitCode: 1, reason: 'Error' } },
      });
      expect(await here.log('flaky', { previous: true })).toBe('again\n');
      await expect
        .poll(async () => (await here.events('flaky')).map(({ reason, message }) => `${reason}: ${message}`))
        .toContain(`BackOff: Back-off restarting failed container main in pod flaky_default(${uid})`);
    });

    test('go when they are deleted, after their containers', async () => {
      await using here = await start();
      const { metadata } = await runBehaviour(here, 'server', { main: { main: {} } });
      await here.until('server', (pod) => pod.status?.phase === 'Running');
      const key = { namespace: 'default', name: 'server' };
      const seen: Pod[] = [];
      const watching = (async () => {
        for await (const event of await here.plane.client.watch(kinds.Pod, { namespace: 'default' })) {
          if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue;
          seen.push(event.object);
          if (event.type === 'DELETED') return;
        }
      })();
      await here.plane.client.delete(kinds.Pod, key);
      await watching;
      expect(seen.at(-1)?.metadata.uid).toBe(metadata.uid);
      expect(ends).toContain(statusOf(seen.at(-1) as Pod, 'main')?.state?.terminated?.exitCode);
      expect(seen.at(-1)?.status?.phase).toBe('Failed');
      await expect
        .poll(async () => (await here.events('server')).map(({ reason, message }) => `${reason}: ${message}`))
        .toContain('Killing: Stopping container main');
    });

    test('fail when they are active for longer than they may', async () => {
      await using here = await start();
      await runBehaviour(here, 'slow', { main: { main: {} } }, { activeDeadlineSeconds: 1 });
      const pod = await here.until(
        'slow',
        (one) => one.status?.phase === 'Failed' && statusOf(one, 'main')?.state?.terminated !== undefined,
      );
      expect(pod.status).toMatchObject({
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      });
    });

    test('wait for a missing ConfigMap of their variables, and say which', async () => {
      await using here = await start();
      const envFrom = [{ configMapRef: { name: 'settings' } }];
      await runBehaviour(here, 'configured', { main: { main: { runMs: 5, envFrom } } });
      const pod = await here.until(
        'configured',
        (one) => statusOf(one, 'main')?.state?.waiting?.reason === 'CreateContainerConfigError',
      );
      expect(statusOf(pod, 'main')?.state?.waiting?.message).toBe('configmap "settings" not found');
      expect(pod.status?.phase).toBe('Pending');
      await expect
        .poll(async () =>
          (await here.events('configured')).map(({ type, reason, message }) => `${type} ${reason} ${message}`),
        )
        .toContain('Warning Failed Error: configmap "settings" not found');
    });

    test('wait for what their volumes need, and start when it is there', async () => {
      await using here = await start();
      await runBehaviour(
        here,
        'mounted',
        { main: { main: { runMs: 5, volumeMounts: [{ name: 'v', mountPath: '/settings' }] } } },
        { volumes: [{ name: 'v', configMap: { name: 'settings' } }] },
      );
      await expect
        .poll(async () =>
          (await here.events('mounted')).map(({ type, reason, message }) => `${type} ${reason} ${message}`),
        )
        .toContain('Warning FailedMount MountVolume.SetUp failed for volume "v" : configmap "settings" not found');
      const waiting = await here.get('mounted');
      expect(statusOf(waiting, 'main')?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
      await here.plane.client.create(kinds.ConfigMap, {
        metadata: { namespace: 'default', name: 'settings' },
        data: { a: '1' },
      });
      expect((await here.done('mounted')).status?.phase).toBe('Succeeded');
    });

    test('replace a container that its liveness probe finds dead', async () => {
      await using here = await start();
      const livenessProbe = { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 1 };
      await runBehaviour(
        here,
        'dead',
        { main: { main: { livenessProbe } } },
        { restartPolicy: 'Always', terminationGracePeriodSeconds: 1 },
      );
      const pod = await here.until('dead', (one) => (statusOf(one, 'main')?.restartCount ?? 0) > 0);
      expect(ends).toContain(statusOf(pod, 'main')?.lastState?.terminated?.exitCode);
      const events = (await here.events('dead')).map(({ reason, message }) => `${reason}: ${message}`);
      expect(events).toContain('Killing: Container main failed liveness probe, will be restarted');
      expect(events.some((event) => event.startsWith('Unhealthy: Liveness probe failed: dial tcp'))).toBe(true);
    });

    test('run a container again when its image is changed, whatever the policy says', async () => {
      await using here = await start();
      await runBehaviour(
        here,
        'changed',
        { main: { main: { runMs: 1500 }, beside: {} } },
        { terminationGracePeriodSeconds: 1 },
      );
      await here.until('changed', (pod) => statusOf(pod, 'beside')?.state?.running !== undefined);
      // Another name for the same image, where there are images.
      const image = here.image?.startsWith('localhost/') ? here.image.slice('localhost/'.length) : 'another';
      const patch = jsonPatch([{ op: 'replace', path: '/spec/containers/1/image', value: image }]);
      await here.plane.client.patch(kinds.Pod, { namespace: 'default', name: 'changed' }, patch);
      const pod = await here.until('changed', (one) => (statusOf(one, 'beside')?.restartCount ?? 0) > 0);
      expect(ends).toContain(statusOf(pod, 'beside')?.lastState?.terminated?.exitCode);
      expect(pod.status?.phase).toBe('Running');
      const events = (await here.events('changed')).map(({ reason, message }) => `${reason}: ${message}`);
      expect(events).toContain('Killing: Container beside definition changed, will be restarted');
    });

    test('are not shown to have ended before they run again with another image', async () => {
      await using here = await start();
      const names = ['first', 'second', 'third', 'fourth'];
      const behaviour = Object.fromEntries(names.map((name) => [name, {}]));
      await runBehaviour(here, 'swapped', { main: { main: { runMs: 3000 }, ...behaviour } });
      await here.until('swapped', (pod) => names.every((name) => statusOf(pod, name)?.state?.running));
      const image = here.image?.startsWith('localhost/') ? here.image.slice('localhost/'.length) : 'another';
      const patch = names.map((_, at) => ({
        op: 'replace' as const,
        path: `/spec/containers/${at + 1}/image`,
        value: image,
      }));
      await here.plane.client.patch(kinds.Pod, { namespace: 'default', name: 'swapped' }, jsonPatch(patch));
      const ended: string[] = [];
      await here.until('swapped', (pod) => {
        const ofAll = names.map((name) => statusOf(pod, name));
        for (const one of ofAll) if (one?.state?.terminated && one.restartCount === 0) ended.push(one.name);
        return ofAll.every((one) => (one?.restartCount ?? 0) > 0);
      });
      expect(ended).toEqual([]);
    });

    test('are not ready before their readiness probe says so', async () => {
      await using here = await start();
      const readinessProbe = { exec: { command: ['true'] }, periodSeconds: 1, initialDelaySeconds: 1 };
      await runBehaviour(here, 'later', { main: { main: { readinessProbe } } });
      const early = await here.until('later', (pod) => statusOf(pod, 'main')?.state?.running !== undefined);
      expect(statusOf(early, 'main')).toMatchObject({ ready: false, started: true });
      expect(condition(early, 'Ready')).toMatchObject({
        reason: 'ContainersNotReady',
        message: 'containers with unready status: [main]',
      });
      await here.until('later', (pod) => condition(pod, 'Ready')?.status === 'True');
    });
  });
}
