import { kinds, mergePatch } from '@tektite/client';
import { installKinds, Manager } from '@tektite/controller';
import { isStatusError, sleep, StatusError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import { type ControlPlane, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { strippingTransforms } from '../../cache/cache-transforms.ts';
import { standardDefaults } from '../../config/config-defaults.ts';
import { defaultFeatureFlags, type FeatureFlags } from '../../config/feature-flags.ts';
import { StepAction, Task, TaskRun } from '../../kinds/kinds.ts';
import { ResolutionRequest } from '../../kinds/resolution-request.ts';
import type { TaskRunSpec } from '../../kinds/task-run-spec.ts';
import { ImageLookup } from '../../images/image-lookup.ts';
import { taskRunController } from './controller.ts';

const images = {
  entrypoint: 'entrypoint',
  nop: 'nop',
  sidecarLogResults: 'results',
  workingDirInit: 'dirs',
  shell: 'sh',
};
let flags: FeatureFlags;
const settings = { flags: () => flags, defaults: () => standardDefaults };
const namespace = 'default';
let plane: ControlPlane;
let clock: VirtualClock;
let manager: Manager;
/** Happens between the creation of a Pod and the controller's learning of it. */
let whenPodIsMade: () => Promise<unknown> = () => Promise.resolve();
/** The server answers so many creations of claims with 429. */
let busyAnswers = 0;
/** The times at which Pods are created, and how many of these creations fail because a webhook does not answer. */
let creations: number[] = [];
let slowWebhookAnswers = 0;
/** The minor version of the server. */
let minor = '36';

beforeEach(async () => {
  clock = virtualClock();
  plane = await startControlPlane({ clock });
  await plane.client.create(kinds.ServiceAccount, { metadata: { namespace, name: 'default' } });
  await clock.until(installKinds(plane.client, [Task, TaskRun, StepAction, ResolutionRequest]));
  whenPodIsMade = () => Promise.resolve();
  busyAnswers = 0;
  creations = [];
  slowWebhookAnswers = 0;
  minor = '36';
  flags = defaultFeatureFlags;
  const client = plane.client.intercepted({
    async request(request, next) {
      const isClaim = request.method === 'POST' && request.path.endsWith('/persistentvolumeclaims');
      if (isClaim && busyAnswers-- > 0)
        throw new StatusError({ code: 429, reason: 'TooManyRequests', message: 'busy' });
      if (request.path === '/version') return { status: 200, headers: {}, warnings: [], body: { major: '1', minor } };
      const isPod = request.method === 'POST' && request.path.endsWith('/pods');
      if (isPod) creations.push(clock.now());
      if (isPod && slowWebhookAnswers-- > 0)
        throw new StatusError({
          code: 500,
          reason: 'InternalError',
          message:
            'failed calling webhook "x": Post "https://x/": context deadline exceeded (timeout awaiting headers)',
        });
      const answer = await next.request(request);
      if (request.method === 'POST' && request.path.endsWith('/pods')) await whenPodIsMade();
      return answer;
    },
  });
  manager = new Manager(client, { name: 'TaskRun', graceMs: 0 });
  manager.add(
    taskRunController({
      ...settings,
      images,
      release: 'test',
      transforms: strippingTransforms,
      imageLookup: new ImageLookup(),
    }),
  );
  await clock.until(manager.start().synced());
});

afterEach(async () => {
  await manager.stop();
  await plane.close();
});

async function create(spec: TaskRunSpec, name = 'tr'): Promise<void> {
  await plane.client.create(TaskRun, { metadata: { namespace, name }, spec });
  await clock.advance(100);
}

const run = (name = 'tr') => plane.client.get(TaskRun, { namespace, name });
const pod = (name = 'tr-pod') => plane.client.get(kinds.Pod, { namespace, name });
const condition = async () => {
  const { status = '', reason, message = '' } = (await run()).status?.conditions?.[0] ?? {};
  return { status, reason, message };
};

async function events(): Promise<readonly string[]> {
  await clock.until(manager.events.flushed());
  const { items } = await plane.client.list(kinds.Event, { namespace });
  return items.map(({ reason, message }) => `${reason} ${message ?? ''}`);
}

type Containers = Record<string, object>;

/** Writes the status of a Pod as a node would. */
async function writePodStatus(phase: string, containers: Containers, name = 'tr-pod'): Promise<void> {
  const found = await pod(name);
  const containerStatuses = Object.entries(containers).map(([container, state]) => ({
    name: container,
    image: 'i',
    imageID: 'id',
    ready: true,
    restartCount: 0,
    state,
  }));
  await plane.client.updateStatus(kinds.Pod, { ...found, status: { phase, containerStatuses } } as unknown as Pod);
  await clock.advance(100);
}

const ended = (exitCode: number, entries: object[] = []) => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message: JSON.stringify(entries) },
});

const oneStep: TaskRunSpec = {
  taskSpec: { steps: [{ name: 'a', image: 'busybox', script: 'echo hi' }], results: [{ name: 'r', type: 'string' }] },
};

describe('a TaskRun', () => {
  it('takes its Pod with it when it is cancelled in the moment that the Pod is made', async () => {
    const cancel = mergePatch({ spec: { status: 'TaskRunCancelled' } });
    whenPodIsMade = () => plane.client.patch(TaskRun, { namespace, name: 'tr' }, cancel);
    await create(oneStep);
    expect(await condition()).toMatchObject({ status: 'False', reason: 'TaskRunCancelled' });
    expect((await run()).status?.podName).toBe('tr-pod');
    await expect(pod()).rejects.toMatchObject({ code: 404 });
  });

  it('began when its Pod was made, though its status is written later', async () => {
    whenPodIsMade = () => sleep(clock, 90_000);
    await create(oneStep);
    expect((await run()).status).toBeUndefined();
    await clock.advance(90_000);
    const { status, metadata } = await run();
    expect(status?.startTime).toBe(metadata.creationTimestamp);
  });

  it('runs in a new Pod, from start to end', async () => {
    await create(oneStep);
    expect(await condition()).toMatchObject({ status: 'Unknown', reason: 'Pending' });
    expect((await pod()).metadata.annotations?.['tekton.dev/ready']).toBeUndefined();
    await writePodStatus('Running', { 'step-a': { running: {} } });
    expect((await pod()).metadata.annotations?.['tekton.dev/ready']).toBe('READY');
    expect(await condition()).toMatchObject({ status: 'Unknown', reason: 'Running' });
    const entries = [
      { key: 'r', value: 'hello', type: 1 },
      { key: 'StartedAt', value: '2026-01-01T00:00:00.123Z', type: 3 },
    ];
    await writePodStatus('Succeeded', { 'step-a': ended(0, entries) });
    const { status } = await run();
    expect(status).toMatchObject({
      podName: 'tr-pod',
      results: [{ name: 'r', type: 'string', value: 'hello' }],
      steps: [{ name: 'a', container: 'step-a', terminated: { exitCode: 0, startedAt: '2026-01-01T00:00:00Z' } }],
      conditions: [{ status: 'True', reason: 'Succeeded', message: 'All Steps have completed executing' }],
    });
    expect(status?.completionTime).toBeDefined();
    await clock.until(manager.events.flushed());
    const events = (await plane.client.list(kinds.Event, { namespace })).items;
    expect(events.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['Started', 'Running', 'Succeeded']));
  });

  it('fails with its first step that fails', async () => {
    await create(oneStep);
    await writePodStatus('Failed', { 'step-a': ended(3) });
    expect(await condition()).toEqual({
      status: 'False',
      reason: 'StepFailed',
      message: '"step-a" exited with code 3: Error',
    });
  });

  it('is tried again as often as it says, each time in a new Pod', async () => {
    await create({ ...oneStep, retries: 1 });
    await writePodStatus('Failed', { 'step-a': ended(3) });
    expect((await run()).status).toMatchObject({ podName: 'tr-pod-retry1', retriesStatus: [{ podName: 'tr-pod' }] });
    await writePodStatus('Failed', { 'step-a': ended(4) }, 'tr-pod-retry1');
    expect(await condition()).toMatchObject({ status: 'False', message: '"step-a" exited with code 4: Error' });
  });

  it('says why it is tried again as upstream does, where a percent sign has consequences', async () => {
    await create({ ...oneStep, retries: 1 });
    const failed = { ...(await pod()), status: { phase: 'Failed', message: 'disk 100% full' } };
    await plane.client.updateStatus(kinds.Pod, failed as Pod);
    await clock.advance(100);
    expect(await events()).toContain('ToBeRetried disk 100%!f(MISSING)ull');
    expect((await run()).status?.retriesStatus?.[0]?.conditions?.[0]?.message).toBe('disk 100% full');
  });

  it('completes also when a termination message is invalid', async () => {
    await create(oneStep);
    const entries = [
      { key: 'StartedAt', value: 'yesterday', type: 3 },
      { key: 'ExitCode', value: 'none', type: 3 },
    ];
    await writePodStatus('Succeeded', { 'step-a': ended(0, entries) });
    expect(await condition()).toMatchObject({ status: 'True' });
    expect((await run()).status?.steps?.[0]).toMatchObject({
      terminated: { exitCode: 0 },
      terminationReason: 'Completed',
    });
  });

  it('that does not fit its Task is retried without a separate Event', async () => {
    await create({ taskRef: { name: 'none' }, retries: 1 });
    expect(await condition()).toMatchObject({ status: 'False', reason: 'TaskRunResolutionFailed' });
    expect((await run()).status?.retriesStatus).toHaveLength(1);
    const reasons = (await events()).map((text) => text.split(' ')[0]);
    expect(new Set(reasons)).toEqual(new Set(['Started', 'Failed', 'InternalError']));
  });

  it('mounts what its template mounts before the workspaces of a step', async () => {
    await create({
      taskSpec: {
        volumes: [{ name: 'v', emptyDir: {} }],
        stepTemplate: { volumeMounts: [{ name: 'v', mountPath: '/template' }] },
        workspaces: [{ name: 'w' }],
        steps: [{ name: 'a', image: 'i', script: 's', workspaces: [{ name: 'w', mountPath: '/own' }] }],
      },
      workspaces: [{ name: 'w', emptyDir: {} }],
    });
    const mounts = (await pod()).spec?.containers?.[0]?.volumeMounts ?? [];
    expect(mounts.map(({ mountPath }) => mountPath).slice(0, 2)).toEqual(['/template', '/own']);
  });

  it('marks its Pod as ready, whatever an annotation of the run says', async () => {
    const metadata = { namespace, name: 'tr', annotations: { 'tekton.dev/ready': 'no' } };
    await plane.client.create(TaskRun, { metadata, spec: oneStep });
    await clock.advance(100);
    await writePodStatus('Running', { 'step-a': { running: {} } });
    expect((await pod()).metadata.annotations?.['tekton.dev/ready']).toBe('READY');
  });

  it('that may not begin yet has an event, which does not say why', async () => {
    await create({ ...oneStep, status: 'TaskRunPending' });
    expect(await condition()).toMatchObject({ status: 'Unknown', reason: 'TaskRunPending' });
    expect(await events()).toEqual(['Started ']);
  });

  it('whose Task is being fetched has an event, which does not say so', async () => {
    await create({ taskRef: { resolver: 'somewhere' } as never });
    expect(await condition()).toMatchObject({ status: 'Unknown', reason: 'ResolvingTaskRef' });
    expect(await events()).toEqual(['Started ']);
  });

  it('times out, and its Pod is deleted', async () => {
    await create({ ...oneStep, timeout: '10m0s' });
    await writePodStatus('Running', { 'step-a': { running: {} } });
    await clock.advance(601_000);
    expect(await condition()).toEqual({
      status: 'False',
      reason: 'TaskRunTimeout',
      message: 'TaskRun "tr" failed to finish within "10m0s"',
    });
    const gone = await pod().then(
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
      (error: unknown) => isStatusError(error, 'NotFound'),
    );
    expect(gone).toBe(true);
    expect((await run()).status?.steps?.[0]).toMatchObject({
      terminated: { exitCode: 1, reason: 'TaskRunTimeout', message: 'Step a terminated as pod tr-pod is terminated' },
    });
  });

  it('can be cancelled', async () => {
    await create(oneStep);
    const patch = {
      contentType: 'application/merge-patch+json' as const,
      body: { spec: { status: 'TaskRunCancelled' } },
    };
    await plane.client.patch(TaskRun, { namespace, name: 'tr' }, patch);
    await clock.advance(100);
    expect(await condition()).toMatchObject({ status: 'False', reason: 'TaskRunCancelled' });
    expect((await condition()).message).toContain('TaskRun "tr" was cancelled. ');
  });

  it.each([
    [
      'a Task that is not there',
      { taskRef: { name: 'none' } },
      'TaskRunResolutionFailed',
      'error when listing tasks for taskRun tr: tasks.tekton.dev "none" not found',
    ],
    [
      'a parameter that is missing',
      { taskSpec: { ...oneStep.taskSpec, params: [{ name: 'p' }] } },
      'TaskRunValidationFailed',
      '[User error] invalid input params for task tr: missing values for these params which have no default values: [p]',
    ],
    [
      'a claim that cannot be made',
      {
        taskSpec: { ...oneStep.taskSpec, workspaces: [{ name: 'w' }] },
        workspaces: [{ name: 'w', volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } }],
      } as never,
      'CouldntCreateWorkspacePVC',
      expect.stringMatching(
        /^failed to create PVC for TaskRun default\/tr workspaces correctly: PVC creation error for (pvc-\w+): PersistentVolumeClaim "\1" is invalid: /,
      ) as string,
    ],
    [
      'a workspace that is not bound',
      { taskSpec: { ...oneStep.taskSpec, workspaces: [{ name: 'w' }] } },
      'TaskRunValidationFailed',
      '[User error] declared workspace "w" is required but has not been bound',
    ],
  ])('fails for %s, and says so', async (_title, spec, reason, message) => {
    await create(spec);
    expect(await condition()).toEqual({ status: 'False', reason, message });
  });
});

it('creates the claims of a run later when the server is too busy for them', async () => {
  busyAnswers = 2;
  const volumeClaimTemplate = {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
  };
  await create({
    taskSpec: { ...oneStep.taskSpec, workspaces: [{ name: 'w' }] },
    workspaces: [{ name: 'w', volumeClaimTemplate: volumeClaimTemplate as never }],
  });
  await clock.advance(60_000);
  expect(await condition()).toMatchObject({ status: 'Unknown', message: expect.not.stringContaining('PVC') });
  expect((await pod()).spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim)).toBe(true);
});

describe('a Pod whose creation fails because a webhook does not answer in time', () => {
  const gaps = () => creations.slice(1).map((time, index) => Math.round((time - (creations[index] ?? 0)) / 1000));

  it('is created again by the same reconcile, after waits that grow, with the flag', async () => {
    flags = { ...defaultFeatureFlags, enableWaitExponentialBackoff: true };
    slowWebhookAnswers = 3;
    await create(oneStep);
    await clock.advance(10_000);
    expect(gaps()).toEqual([1, 2, 4]);
    expect((await pod()).metadata.name).toBe('tr-pod');
  });

  it('fails the run once all attempts are used up', async () => {
    flags = { ...defaultFeatureFlags, enableWaitExponentialBackoff: true };
    slowWebhookAnswers = Number.POSITIVE_INFINITY;
    await create(oneStep);
    await clock.advance(60_000);
    expect(gaps()).toEqual([1, 2, 4, 8, 16]);
    expect(await condition()).toEqual({
      status: 'False',
      reason: 'PodCreationFailed',
      message: 'failed to create task run pod "tr": timed out waiting for the condition. Maybe invalid TaskSpec',
    });
  });
});

it.each([
  ['36', ['sidecar-s'], ['step-a']],
  ['28+', [], ['step-a', 'sidecar-s']],
])('sidecars are init containers where the server, here 1.%s, has such', async (version, sidecars, containers) => {
  minor = version;
  flags = { ...defaultFeatureFlags, enableKubernetesSidecar: true };
  await create({ taskSpec: { ...oneStep.taskSpec, sidecars: [{ name: 's', image: 'i' }] } });
  const { spec } = await pod();
  expect(spec?.containers?.map(({ name }) => name)).toEqual(containers);
  const kept = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
  expect(kept.map(({ name }) => name)).toEqual(sidecars);
});
