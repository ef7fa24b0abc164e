import { type HeldImage, StoreError } from '@tektite/oci';
import type { Pod } from '@tektite/schema/kubernetes';
import { expect, test } from 'vitest';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type { ImageService } from './image-service.ts';
import { MachineImageService, type MachineImageServiceOptions } from './machine-image-service.ts';

const held = { reference: 'there' } as HeldImage;
const failWith =
  (message: string): ImageService['ensure'] =>
  async ({ record }) => {
    record('Warning', 'Failed', 'an attempt');
    const cause = new StoreError('REGISTRY_FAILED', message);
    throw new ContainerStartError('ErrImagePull', message, { cause });
  };
const unreachable = failWith('getaddrinfo ENOTFOUND registry.example');

async function ensure(image: string, service: ImageService) {
  const events: string[] = [];
  const record = (_: string, reason: string, message: string) => void events.push(`${reason} ${message}`);
  const { signal } = new AbortController();
  const pod = { metadata: {} } as Pod;
  const result = await service.ensure({ pod, image, policy: 'IfNotPresent', record, signal });
  return { result, events };
}

function serviceWith(inner: ImageService['ensure'], options: Partial<MachineImageServiceOptions> = {}) {
  const notices: string[] = [];
  const service = new MachineImageService({
    images: { ensure: inner },
    isOwn: (image) => image === 'own',
    isReplaceable: (image) => image === 'busybox',
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
  let attempts = 0;
  const { service, notices } = serviceWith((request) => {
    attempts++;
    return unreachable(request);
  });
  for (let i = 0; i < 3; i++)
    expect(await ensure('busybox', service)).toEqual({
      result: undefined,
      events: ['Pulled Container image "busybox" already present on machine and can be accessed by the pod'],
    });
  expect(attempts).toBe(1);
  expect(notices).toEqual([expect.stringContaining('busybox cannot be pulled without a network')]);
});

test('a shell is not replaced where the registry answers that there is none', async () => {
  for (const answer of ['MANIFEST_UNKNOWN: manifest unknown', 'GET https://registry.example: 401 Unauthorized'])
    await expect(ensure('busybox', serviceWith(failWith(answer)).service)).rejects.toThrow(answer);
});

test('an image that cannot be had fails as on a cluster, with what the user can do', async () => {
  const { service } = serviceWith(unreachable, { hint: 'Or use --runtime host' });
  await expect(ensure('node', service)).rejects.toThrow(/ENOTFOUND registry.example\. Or use --runtime host$/);
  await expect(ensure('node', service)).rejects.toMatchObject({ reason: 'ErrImagePull' });
});
