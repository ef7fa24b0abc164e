import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds, mergePatch } from '@tektite/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestNode, type TestNode } from '../test-support.ts';

/** A folder with the layout of a control plane's data, and a link from outside. */
const base = mkdtempSync(join(tmpdir(), 'tektite-protected-'));
const data = join(base, 'data');
const link = join(base, 'link');
let here: TestNode;

beforeAll(async () => {
  for (const folder of ['pki', 'volumes/claim', 'node']) mkdirSync(join(data, folder), { recursive: true });
  mkdirSync(join(base, 'project'));
  writeFileSync(join(base, 'project', 'file'), 'mine');
  writeFileSync(join(data, 'pki', 'ca.key'), 'sesame');
  writeFileSync(join(data, 'volumes', 'claim', 'file'), 'claimed');
  symlinkSync(data, link);
  here = await startTestNode({
    dataDir: join(data, 'node'),
    protectedFolders: [data],
    claimsFolder: join(data, 'volumes'),
  });
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

let count = 0;
async function mounting(path: string, command: string, subPath = ''): Promise<string> {
  const name = `pod-${count++}`;
  await here.run(name, {
    restartPolicy: 'Never',
    volumes: [{ name: 'v', hostPath: { path } }],
    containers: [
      {
        name: 'main',
        image: 'busybox',
        command: ['sh', '-c', command],
        volumeMounts: [{ name: 'v', mountPath: '/mnt', ...(subPath ? { subPath } : {}) }],
      },
    ],
  });
  return name;
}

describe('a hostPath volume', () => {
  test.each([
    ['the folder of keys', join(data, 'pki')],
    ['a file in it', join(data, 'pki', 'ca.key')],
    ['the data folder', data],
    ['a link to it', link],
    ['a path through a link', join(link, 'pki')],
    ['the data of another claim', join(data, 'volumes', 'claim')],
    ['a path that does not exist yet', join(link, 'new', 'folder')],
  ])('is denied for %s', async (_, path) => {
    const name = await mounting(path, 'true');
    await expect
      .poll(async () => (await here.events(name)).map(({ message }) => message).join(), { timeout: 15_000 })
      .toContain('where this node keeps its own data');
  });

  test.each([
    ['the parent of the data folder', base, 'data/pki'],
    ['the root of the machine', '/', join(data, 'pki').slice(1)],
  ])('of %s does not show the data folder', async (_, path, keys) => {
    const name = await mounting(path, `cat /mnt/${keys}/ca.key; ls /mnt/${keys}/..; touch /mnt/${keys}/../x; true`);
    await here.done(name);
    const log = await here.log(name);
    expect(log).not.toContain('sesame');
    expect(log).not.toMatch(/^pki$/m);
  });

  test('shows everything else of such a parent', async () => {
    const name = await mounting(base, 'cat /mnt/project/file');
    await here.done(name);
    expect(await here.log(name)).toBe('mine');
  });

  test('is denied for a subPath into the data folder', async () => {
    const name = await mounting(base, 'cat /mnt/ca.key', 'data/pki');
    const { status } = await here.until(
      name,
      ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerConfigError',
    );
    expect(status?.containerStatuses?.[0]?.state?.waiting?.message).toContain('where this node keeps its own data');
  });
});

describe('a claim', () => {
  async function claimAt(path: string): Promise<string> {
    const name = `claim-${count++}`;
    const { client } = here.plane;
    const shared = { accessModes: ['ReadWriteOnce' as const], storageClassName: '' };
    await client.create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        ...shared,
        capacity: { storage: '1Gi' },
        hostPath: { path },
        claimRef: { namespace: 'default', name },
      },
    });
    await client.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'default', name },
      spec: { ...shared, volumeName: name, resources: { requests: { storage: '1Gi' } } },
    });
    await client.patchStatus(
      kinds.PersistentVolumeClaim,
      { namespace: 'default', name },
      mergePatch({ status: { phase: 'Bound' } }),
    );
    await here.run(name, {
      restartPolicy: 'Never',
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }],
      containers: [
        {
          name: 'main',
          image: 'busybox',
          command: ['cat', '/mnt/file'],
          volumeMounts: [{ name: 'v', mountPath: '/mnt' }],
        },
      ],
    });
    return name;
  }

  test('has its folder among the data of claims', async () => {
    const name = await claimAt(join(data, 'volumes', 'claim'));
    await here.done(name);
    expect(await here.log(name)).toBe('claimed');
  });

  test('is denied where its volume is the folder of keys', async () => {
    const name = await claimAt(join(data, 'volumes', '..', 'pki'));
    await expect
      .poll(async () => (await here.events(name)).map(({ message }) => message).join(), { timeout: 15_000 })
      .toContain('where this node keeps its own data');
  });
});
