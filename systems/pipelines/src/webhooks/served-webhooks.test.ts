import { kinds, mergePatch } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StepAction, StepActionV1alpha1, Task, TaskRun, TaskRunV1beta1, TaskV1beta1 } from '../kinds/kinds.ts';
import { pipelinesSystem } from '../system.ts';

const images = { entrypoint: 'e', nop: 'n', sidecarLogResults: 'r', workingDirInit: 'w', shell: 's' };
const namespace = 'default';
let plane: ControlPlane;
let systems: RunningSystems;

beforeAll(async () => {
  plane = await startControlPlane();
  await plane.client.create(kinds.ServiceAccount, { metadata: { namespace, name: 'default' } });
  const service = { namespace: 'tekton-pipelines', name: 'tekton-pipelines-webhook' };
  systems = await startSystems([pipelinesSystem({ images })], {
    client: plane.client,
    name: 'pipelines',
    graceMs: 0,
    webhooks: { host: plane.server.localWebhooks, service },
  });
});

afterAll(async () => {
  await systems.stop();
  await plane.close();
});

const metadata = (name: string) => ({ namespace, name });

describe('on a server', () => {
  it('an object is stored with its defaults', async () => {
    const spec = { params: [{ name: 'p', default: 5 }], steps: [{ image: 'i' }] };
    const task = await plane.client.create(Task, { metadata: metadata('defaults'), spec } as never);
    expect(task.spec).toEqual({
      params: [{ name: 'p', type: 'string', default: '5' }],
      steps: [{ name: '', image: 'i', computeResources: {} }],
    });
  });

  it('a bad object is refused', async () => {
    const created = plane.client.create(Task, { metadata: metadata('bad'), spec: { steps: [{ name: 'a' }] } } as never);
    await expect(created).rejects.toMatchObject({
      status: {
        code: 400,
        reason: 'BadRequest',
        message:
          'admission webhook "validation.webhook.pipeline.tekton.dev" denied the request: validation failed: missing field(s): spec.steps[0].Image',
      },
    });
  });

  it('a run cannot be changed but for its end', async () => {
    const spec = { taskRef: { name: 'later' }, status: 'TaskRunPending' };
    const run = await plane.client.create(TaskRun, { metadata: metadata('run'), spec } as never);
    expect(run.spec).toMatchObject({ timeout: '1h0m0s', serviceAccountName: 'default' });
    // Not bound to what was read: the controller writes meanwhile.
    const change = (fields: object) => plane.client.patch(TaskRun, metadata('run'), mergePatch({ spec: fields }));
    await expect(change({ timeout: '2h0m0s' })).rejects.toThrow(
      'Once the TaskRun has started, only status and statusMessage updates are allowed: spec',
    );
    await change({ status: 'TaskRunCancelled' });
    // Status updates of the controller pass the webhooks too.
    const reason = async () => (await plane.client.get(TaskRun, metadata('run'))).status?.conditions?.[0]?.reason;
    await vi.waitFor(async () => expect(await reason()).toBe('TaskRunCancelled'), { timeout: 15_000 });
  });

  it('an object can be written in one version and read in another', async () => {
    const spec = { steps: [{ name: 'a', image: 'i', tty: true, resources: { limits: { cpu: 1 } } }] };
    const old = await plane.client.create<KubeObject>(TaskV1beta1, { metadata: metadata('old'), spec } as never);
    expect(old).toMatchObject({ spec: { steps: [{ name: 'a', tty: true, resources: { limits: { cpu: '1' } } }] } });
    const stored = await plane.client.get(Task, metadata('old'));
    expect(stored.spec.steps).toEqual([{ name: 'a', image: 'i', computeResources: { limits: { cpu: '1' } } }]);
    expect(await plane.client.get(TaskV1beta1, metadata('old'))).toMatchObject({ spec: { steps: [{ tty: true }] } });
  });

  it('runs and StepActions too', async () => {
    const spec = { taskRef: { name: 't' }, stepOverrides: [{ name: 'a', resources: {} }], status: 'TaskRunPending' };
    await plane.client.create<KubeObject>(TaskRunV1beta1, { metadata: metadata('old-run'), spec } as never);
    const run = await plane.client.get(TaskRun, metadata('old-run'));
    expect(run.spec.stepSpecs).toEqual([{ name: 'a', computeResources: {} }]);
    await plane.client.create(StepActionV1alpha1, { metadata: metadata('action'), spec: { image: 'i' } });
    expect((await plane.client.get(StepAction, metadata('action'))).spec).toEqual({ image: 'i' });
  });

  it('settings that cannot be used are refused', async () => {
    const place = { namespace: 'tekton-pipelines', name: 'feature-flags' };
    const flags = await plane.client.get(kinds.ConfigMap, place);
    const changed = plane.client.update(kinds.ConfigMap, { ...flags, data: { 'enable-api-fields': 'gamma' } });
    await expect(changed).rejects.toThrow(
      'admission webhook "config.webhook.pipeline.tekton.dev" denied the request: validation failed: invalid value for feature flag "enable-api-fields": "gamma"',
    );
  });
});
