import { type HeldImage, StoreError } from '@tektite/oci';
import type { Pod } from '@tektite/schema/kubernetes';
import { virtualClock } from '@tektite/testkit';
import { expect, test } from 'vitest';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type { ImagePullPolicy } from '../runtime/pod-runtime.ts';
import type { ImageService } from './image-service.ts';
import { MachineImageService, type MachineImageServiceOptions } from './machine-image-service.ts';

const held = { reference: 'there' } as HeldImage;
const failWith =
  (message: string, code: 'REGISTRY_FAILED' | 'REGISTRY_UNREACHABLE' = 'REGISTRY_FAILED'): ImageService['ensure'] =>
  async ({ record, policy }) => {
    if (policy === 'Never') throw new ContainerStartError('ErrImageNeverPull', 'not there');
    record('Warning', 'Failed', 'an attempt');
    throw new ContainerStartError('ErrImagePull', message, { cause: new StoreError(code, message) });
  };
const unreachable = failWith('lookup registry.example: no such host', 'REGISTRY_UNREACHABLE');

async function ensure(image: string, service: ImageService, policy: ImagePullPolicy = 'IfNotPresent') {
  const events: string[] = [];
  const record = (_: string, reason: string, message: string) => void events.push(`${reason} ${message}`);
  const { signal } = new AbortController();
  const pod = { metadata: {} } as Pod;
  const result = await service.ensure({ pod, image, policy, record, signal });
  return { result, events };
}

const clock = virtualClock();

function serviceWith(inner: ImageService['ensure'], options: Partial<MachineImageServiceOptions> = {}) {
  const notices: string[] = [];
  const service = new MachineImageService({
    images: { ensure: inner },
    isOwn: (image) => image === 'own',
    offline: { replacement: (image) => (image === 'busybox' ? 'the shell' : undefined), rememberMs: 60_000, clock },
    onNotice: (text) => notices.push(text),
    ...options,
  });
  return { service, notices };
}

test('an image of the machine is never pulled', async () => {
  const { result, events } = await ensure('own', serviceWith(unreachable).service);
  expect(result).toBeUndefined();
  expect(events).toEqual(['Pulled Container image "own" already present on machine and can be accessed by the pod']);
});

test('an image that can be had is used, also where it could be replaced', async () => {
  const { service, notices } = serviceWith(async () => held);
  expect((await ensure('busybox', service)).result).toBe(held);
  expect((await ensure('node', service)).result).toBe(held);
  expect(notices).toEqual([]);
});

test('a shell is replaced where no registry is reached, and that is said once', async () => {
  const asked: (number | undefined)[] = [];
  const { service, notices } = serviceWith((request) => {
    if (request.policy !== 'Never') asked.push(request.dialTimeoutMs);
    return unreachable(request);
  });
  const replaced = {
    result: undefined,
    events: ['Pulled Container image "busybox" already present on machine and can be accessed by the pod'],
  };
  for (let i = 0; i < 3; i++) expect(await ensure('busybox', service)).toEqual(replaced);
  // The registry is asked with little patience, and not again for a while.
  expect(asked).toEqual([1000]);
  expect(notices).toEqual(['the image busybox is replaced by the shell: index.docker.io cannot be reached']);
  await clock.advance(60_000);
  expect(await ensure('busybox', service)).toEqual(replaced);
  expect([asked, notices.length]).toEqual([[1000, 1000], 1]);
});

test('an image of the store is used where no registry is reached, also if it should always be pulled', async () => {
  const { service, notices } = serviceWith((request) =>
    request.policy === 'Never' ? Promise.resolve(held) : unreachable(request),
  );
  for (let i = 0; i < 2; i++) expect(await ensure('node', service, 'Always')).toEqual({ result: held, events: [] });
  expect(notices).toEqual([]);
});

test('a shell is not replaced where the registry answers that there is none', async () => {
  for (const answer of ['MANIFEST_UNKNOWN: manifest unknown', 'GET https://registry.example: 401 Unauthorized'])
    await expect(ensure('busybox', serviceWith(failWith(answer)).service)).rejects.toThrow(answer);
});

test('an image that cannot be had fails as on a cluster, with what the user can do', async () => {
  const { service } = serviceWith(unreachable, { hint: 'Or use --runtime host' });
  await expect(ensure('node', service)).rejects.toThrow(/no such host\. Or use --runtime host$/);
  await expect(ensure('node', service)).rejects.toMatchObject({ reason: 'ErrImagePull' });
  await expect(ensure('No/Name', service)).rejects.toThrow('no such host');
});
