import { generateKeyPairSync } from 'node:crypto';
import { keyOf, kinds, mergePatch } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import { type KubeObject, seededRandom } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standardDefaults } from '../config/config-defaults.ts';
import { defaultFeatureFlags } from '../config/feature-flags.ts';
import { Task, TaskRun } from '../kinds/kinds.ts';
import { ResolutionRequest } from '../kinds/resolution-request.ts';
import { VerificationPolicy } from '../kinds/verification-policy.ts';
import { pipelinesSystem } from '../system.ts';
import { signObject } from '../trust/sign-object.ts';
import { fetchStepAction, fetchTask, type RemotePlace } from './fetch-remote.ts';
import { RemotePending } from './remote-failure.ts';

const images = { entrypoint: 'e', nop: 'n', sidecarLogResults: 'r', workingDirInit: 'w', shell: 's' };
const namespace = 'default';
let plane: ControlPlane;
let systems: RunningSystems;
let place: RemotePlace;
let count = 0;

beforeAll(async () => {
  plane = await startControlPlane();
  await plane.client.create(kinds.ServiceAccount, { metadata: { namespace, name: 'default' } });
  systems = await startSystems([pipelinesSystem({ images })], {
    client: plane.client,
    name: 'pipelines',
    graceMs: 0,
    webhooks: {
      host: plane.server.localWebhooks,
      service: { namespace: 'tekton-pipelines', name: 'tekton-pipelines-webhook' },
    },
  });
  place = {
    client: plane.client,
    signal: new AbortController().signal,
    random: seededRandom(1),
    settings: { flags: () => defaultFeatureFlags, defaults: () => standardDefaults },
  };
});

afterAll(async () => {
  await systems.stop();
  await plane.close();
});

/** A pending run, so that no controller acts on it. */
async function newOwner(): Promise<KubeObject> {
  const spec = { taskRef: { name: 'none' }, status: 'TaskRunPending' };
  return plane.client.create(TaskRun, { metadata: { namespace, name: `owner-${count++}` }, spec });
}

const reference = { resolver: 'custom', params: [{ name: 'which', value: 'this' }] };

/** Plays the resolver. */
async function answer(owner: KubeObject, status: object): Promise<void> {
  const { items } = await plane.client.list(ResolutionRequest, { namespace });
  const request = items.find(({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner.metadata.uid);
  if (!request) throw new Error('no request');
  await plane.client.patchStatus(ResolutionRequest, keyOf(request), mergePatch({ status }));
}

const succeeded = (text: string) => ({
  conditions: [{ type: 'Succeeded', status: 'True' }],
  data: Buffer.from(text).toString('base64'),
  refSource: { uri: 'somewhere' },
  source: { uri: 'somewhere' },
});

async function fetched(text: string) {
  const owner = await newOwner();
  await expect(fetchTask(owner, reference, place)).rejects.toThrow(RemotePending);
  await answer(owner, succeeded(text));
  return fetchTask(owner, reference, place);
}

const task = (apiVersion: string, rest = '') => `
apiVersion: ${apiVersion}
kind: Task
metadata: {name: t, labels: {a: b}, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u}]}
spec:
  params: [{name: p, default: [a]}]
  steps: [{name: s, image: busybox, script: echo}]
${rest}`;

describe('a Task from elsewhere', () => {
  it('is asked for by a request that the run owns', async () => {
    const owner = await newOwner();
    await expect(fetchTask(owner, reference, place)).rejects.toThrow(RemotePending);
    await expect(fetchTask(owner, reference, place)).rejects.toThrow(RemotePending);
    const { items } = await plane.client.list(ResolutionRequest, { namespace });
    const mine = items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner.metadata.uid);
    expect(mine).toMatchObject([
      {
        metadata: { labels: { 'resolution.tekton.dev/type': 'custom' }, ownerReferences: [{ controller: true }] },
        spec: { params: [{ name: 'which', value: 'this' }] },
      },
    ]);
  });

  it.each(['tekton.dev/v1', 'tekton.dev/v1beta1'])(
    'of %s comes in v1, with its defaults and its own name',
    async (version) => {
      const { object, refSource, verification } = await fetched(task(version));
      expect(object).toMatchObject({
        apiVersion: 'tekton.dev/v1',
        kind: 'Task',
        metadata: { name: 't', labels: { a: 'b' } },
        spec: {
          params: [{ name: 'p', type: 'array', default: ['a'] }],
          steps: [{ name: 's', computeResources: {} }],
        },
      });
      expect(object.metadata).not.toHaveProperty('ownerReferences');
      expect(refSource).toEqual({ uri: 'somewhere' });
      expect(verification).toEqual({ outcome: 'skipped' });
      expect((await plane.client.list(Task, { namespace })).items).toEqual([]);
    },
  );

  it('is looked at once, as long as the request is the same', async () => {
    const owner = await newOwner();
    await expect(fetchTask(owner, reference, place)).rejects.toThrow(RemotePending);
    await answer(owner, succeeded(task('tekton.dev/v1beta1')));
    const { items } = await plane.client.list(ResolutionRequest, { namespace });
    const request = items.find(({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner.metadata.uid);
    if (!request) throw new Error('no request');
    const cached = { ...place, findRequest: () => request };
    const first = await fetchTask(owner, reference, cached);
    expect((await fetchTask(owner, reference, cached)).object).toBe(first.object);
    const other = { flags: () => ({ ...defaultFeatureFlags }), defaults: () => standardDefaults };
    expect((await fetchTask(owner, reference, { ...cached, settings: other })).object).not.toBe(first.object);
  });

  it('fails with what the resolver said', async () => {
    const owner = await newOwner();
    await expect(fetchTask(owner, reference, place)).rejects.toThrow(RemotePending);
    const failed = { type: 'Succeeded', status: 'False', reason: 'ResolutionFailed', message: 'it is not there' };
    await answer(owner, { conditions: [failed], data: '', refSource: null, source: null });
    await expect(fetchTask(owner, reference, place)).rejects.toMatchObject({
      stage: 'resolution',
      message: 'error requesting remote resource: it is not there',
    });
  });

  it.each([
    ['is no Task', 'apiVersion: tekton.dev/v1\nkind: Pipeline\nmetadata: {name: p}', 'resource is not a task'],
    [
      'is nothing of Tekton',
      'apiVersion: v1\nkind: ConfigMap',
      'invalid runtime object: no kind "ConfigMap" is registered for version "v1" in scheme "pkg/client/clientset/versioned/scheme/register.go:32"',
    ],
    ['has no kind', 'a: b\n', "invalid runtime object: Object 'Kind' is missing in 'a: b\n'"],
    [
      'has unknown fields',
      task('tekton.dev/v1', '  other: 1\nmore: 2\n'),
      'invalid runtime object: strict decoding error: unknown field "spec.other", unknown field "more"',
    ],
    [
      'has values of the wrong type',
      'apiVersion: tekton.dev/v1\nkind: Task\nspec: {steps: hello}',
      'invalid runtime object: json: cannot unmarshal string into Go struct field TaskSpec.spec.steps of type []v1.Step',
    ],
  ])('that %s is refused', async (_title, text, message) => {
    await expect(fetched(text)).rejects.toMatchObject({ name: 'RemoteFailure', stage: 'resolution', message });
  });

  it('that is not valid is refused by the webhooks, and the message names it', async () => {
    const text = 'apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: bad}\nspec: {steps: [{name: a}]}';
    await expect(fetched(text)).rejects.toMatchObject({
      stage: 'validation',
      isUserError: false,
      message:
        'validation failed for referenced object bad: admission webhook "validation.webhook.pipeline.tekton.dev" denied the request: validation failed: missing field(s): spec.steps[0].Image',
    });
  });
});

describe('a policy', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const signed = signObject(
    {
      apiVersion: 'tekton.dev/v1',
      kind: 'Task',
      metadata: { name: 't' },
      spec: { params: [{ name: 'p', type: 'string' }], steps: [{ name: 's', image: 'i' }] },
    } as KubeObject,
    privateKey,
  );

  beforeAll(async () => {
    const spec = { resources: [{ pattern: 'somewhere' }], authorities: [{ name: 'me', key: { data: publicKey } }] };
    await plane.client.create(VerificationPolicy, { metadata: { namespace, name: 'policy' }, spec });
  });
  afterAll(() => plane.client.delete(VerificationPolicy, { namespace, name: 'policy' }));

  it('lets through what is signed', async () => {
    expect((await fetched(JSON.stringify(signed))).verification).toEqual({ outcome: 'passed' });
  });

  it('stops what is not', async () => {
    expect((await fetched(task('tekton.dev/v1'))).verification).toEqual({
      outcome: 'failed',
      message: 'resource verification failed: resource t in namespace  fails verification',
    });
  });
});

it('a StepAction from elsewhere comes in v1beta1', async () => {
  const owner = await newOwner();
  await expect(fetchStepAction(owner, reference, place)).rejects.toThrow(RemotePending);
  await answer(
    owner,
    succeeded('apiVersion: tekton.dev/v1alpha1\nkind: StepAction\nmetadata: {name: s}\nspec: {image: i}'),
  );
  const { object } = await fetchStepAction(owner, reference, place);
  expect(object).toMatchObject({ apiVersion: 'tekton.dev/v1beta1', metadata: { name: 's' }, spec: { image: 'i' } });
});
