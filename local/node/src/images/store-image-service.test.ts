import { kinds } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { ImageStore } from '@tektite/oci';
import type { Pod } from '@tektite/schema/kubernetes';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { imageOf, layerOf, pushImage, TestFolder, TestRegistry } from '@tektite/testkit/images';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientObjects } from '../object-source.ts';
import type { ContainerStartError } from '../runtime/container-start-error.ts';
import type { ImagePullPolicy, PodRuntime } from '../runtime/pod-runtime.ts';
import { SimulatedRuntime } from '../simulated/simulated-runtime.ts';
import { startTestNode } from '../test-support.ts';
import type { ImageService } from './image-service.ts';
import { StoreImageService } from './store-image-service.ts';

let folder: TestFolder;
let registry: TestRegistry;
let store: ImageStore;
const image = imageOf([layerOf([{ name: 'app', content: 'x' }])], { Cmd: ['/app'], User: '7' });

beforeEach(async () => {
  folder = new TestFolder();
  registry = await TestRegistry.start();
  store = await ImageStore.open({ folder: folder.join('store') });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const noObjects = clientObjects({ get: () => Promise.reject(new Error('not asked')) } as never);
const anonymous = async () => [];
const app = () => `${registry.host}/team/app:v1`;
const push = () => pushImage(registry.origin, 'team/app', 'v1', image);
const newPod = (spec: object = {}): Pod => ({ metadata: { name: 'p', namespace: 'default', uid: 'u1' }, spec }) as Pod;

/** Asks for an image; the Events, and the image or the reason for there being none. */
async function ensure(service: ImageService, name: string, policy: ImagePullPolicy = 'IfNotPresent', pod = newPod()) {
  const events: string[] = [];
  const record = (type: string, reason: string, message: string) => void events.push(`${type} ${reason} ${message}`);
  const { signal } = new AbortController();
  try {
    const held = await service.ensure({ pod, image: name, policy, record, signal });
    await held?.release();
    return { events, held };
  } catch (error) {
    return { events, failure: error as ContainerStartError };
  }
}

describe('an image for a container', () => {
  it('is pulled, and used again where the policy allows', async () => {
    await push();
    const service = new StoreImageService({ store, objects: noObjects, clock: virtualClock(), credentials: anonymous });
    const first = await ensure(service, app());
    expect(first.held?.config.user).toBe('7');
    expect(first.events[0]).toBe(`Normal Pulling Pulling image "${app()}"`);
    expect(first.events[1]).toMatch(
      /^Normal Pulled Successfully pulled image ".*:v1" in \S+ \(\S+ including waiting\)\. Image size: \d+ bytes\.$/,
    );
    expect((await ensure(service, app())).events).toEqual([
      `Normal Pulled Container image "${app()}" already present on machine and can be accessed by the pod`,
    ]);
    expect((await ensure(service, app(), 'Always')).events[0]).toBe(`Normal Pulling Pulling image "${app()}"`);
  });

  it('that cannot be pulled backs off for 10 s, doubled each time, as kubelets do', async () => {
    const clock = virtualClock();
    const service = new StoreImageService({ store, objects: noObjects, clock, credentials: anonymous });
    const error = `rpc error: code = NotFound desc = failed to pull and unpack image "${app()}": failed to resolve reference "${app()}": ${app()}: not found`;
    for (const seconds of [10, 20, 40]) {
      const failed = await ensure(service, app());
      expect(failed.events).toEqual([
        `Normal Pulling Pulling image "${app()}"`,
        `Warning Failed Failed to pull image "${app()}": ${error}`,
      ]);
      expect(failed.failure).toMatchObject({ reason: 'ErrImagePull', message: error });
      const waiting = await ensure(service, app());
      expect(waiting.events).toEqual([`Normal BackOff Back-off pulling image "${app()}"`]);
      expect(waiting.failure).toMatchObject({
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "${app()}": ErrImagePull: ${error}`,
        retryAt: clock.now() + seconds * 1000,
      });
      await clock.advance(seconds * 1000);
    }
    await push();
    expect((await ensure(service, app())).held?.digest).toBe(image.digest);
  });

  it('is neither pulled with the policy Never, nor when its name is none', async () => {
    const service = new StoreImageService({ store, objects: noObjects, clock: virtualClock(), credentials: anonymous });
    const never = await ensure(service, app(), 'Never');
    const message = `Container image "${app()}" is not present with pull policy of Never`;
    expect(never.failure).toMatchObject({ reason: 'ErrImageNeverPull', message });
    expect(never.events).toEqual([`Warning ErrImageNeverPull ${message}`]);
    const invalid = await ensure(service, 'Not/A/Name');
    expect(invalid.failure).toMatchObject({
      reason: 'InvalidImageName',
      message: `Failed to apply default image tag "Not/A/Name": couldn't parse image name "Not/A/Name": invalid reference format`,
    });
    expect(registry.requests).toEqual([]);
  });

  it('is pulled with the Secrets of its Pod, and those that do not exist count for nothing', async () => {
    await push();
    const auth = Buffer.from('me:pw').toString('base64');
    registry.intercept = ({ url = '', headers }, response) => {
      if (url === '/v2/' || headers.authorization === `Basic ${auth}`) return false;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return true;
    };
    await using plane = await startControlPlane();
    const config = JSON.stringify({ auths: { [registry.host]: { auth } } });
    await plane.client.create(kinds.Secret, {
      metadata: { namespace: 'default', name: 'login' },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': config },
    });
    const objects = clientObjects(plane.client);
    const service = new StoreImageService({ store, objects, clock: virtualClock(), credentials: anonymous });
    expect((await ensure(service, app())).failure?.reason).toBe('ErrImagePull');
    const pod = {
      ...newPod({ imagePullSecrets: [{ name: 'missing' }, { name: 'login' }] }),
      metadata: { ...newPod().metadata, uid: 'u2' },
    };
    expect((await ensure(service, app(), 'IfNotPresent', pod)).held?.digest).toBe(image.digest);
  });
});

describe('a Pod on a node that uses images', () => {
  /** Containers without processes, from images. */
  const makeRuntime = (): PodRuntime =>
    Object.assign(new SimulatedRuntime(), { usesImages: true, startsAtOnce: false } as object) as PodRuntime;
  const startNode = () =>
    startTestNode({
      makeRuntime,
      images: new StoreImageService({ store, objects: noObjects, clock: systemClock, credentials: anonymous }),
    });

  it('runs when its image is there, and its Events say how it came', async () => {
    await push();
    await using here = await startNode();
    await here.run('good', { restartPolicy: 'Never', containers: [{ name: 'main', image: app() }] });
    expect((await here.done('good')).status?.phase).toBe('Succeeded');
    await expect
      .poll(async () => (await here.events('good')).map(({ reason }) => reason), { timeout: 15_000 })
      .toEqual(['Pulling', 'Pulled', 'Created', 'Started']);
  });

  it('waits with ErrImagePull, then ImagePullBackOff, where there is no image', async () => {
    await using here = await startNode();
    await here.run('bad', { containers: [{ name: 'main', image: app() }] });
    const reasonOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting?.reason;
    await here.until('bad', (pod) => reasonOf(pod) === 'ErrImagePull');
    await here.until('bad', (pod) => reasonOf(pod) === 'ImagePullBackOff');
    const events = async () => (await here.events('bad')).map(({ reason, message = '' }) => `${reason} ${message}`);
    const texts = [
      'Pulling Pulling',
      'Failed Failed to pull',
      'Failed Error: ErrImagePull',
      'BackOff Back-off',
      'Failed Error: ImagePullBackOff',
    ];
    await expect
      .poll(events, { timeout: 15_000 })
      .toEqual(expect.arrayContaining(texts.map((text) => expect.stringContaining(text) as string)));
  });

  it('is deleted without waiting for a pull that hangs', async () => {
    let isAsked = false;
    registry.intercept = ({ url = '' }) => (isAsked ||= url.includes('/manifests/'));
    await using here = await startNode();
    await here.run('hanging', { containers: [{ name: 'main', image: app() }] });
    await expect.poll(() => isAsked, { timeout: 15_000 }).toBe(true);
    await here.plane.client.delete(kinds.Pod, { namespace: 'default', name: 'hanging' });
    await expect
      .poll(async () => (await here.plane.client.list(kinds.Pod, { namespace: 'default' })).items.length, {
        timeout: 15_000,
      })
      .toBe(0);
  });
});
