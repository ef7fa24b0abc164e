import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestFolder } from '@tektite/testkit/images';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageStore } from '../store/image-store.ts';
import { buildImage } from './build-image.ts';
import { buildLayer, type LayerFile } from './build-layer.ts';
import { writeImageArchive } from './image-archive.ts';

const text = (content: string) => Buffer.from(content);
const long = `${'deep/'.repeat(25)}file`;
const files: readonly LayerFile[] = [
  { path: 'bin/tool', mode: 0o755, content: text('tool') },
  { path: 'bin/again', type: 'hardlink', target: 'bin/tool' },
  { path: 'bin/link', type: 'symlink', target: 'tool' },
  { path: 'tmp', type: 'folder', mode: 0o1777 },
  { path: long, content: text('long') },
];
const created = '2026-01-01T00:00:00Z';

async function imageWith(...architectures: readonly string[]) {
  const platforms = architectures.map(async (architecture) => ({
    platform: { os: 'linux', architecture },
    layers: [await buildLayer([...files, { path: 'etc/arch', content: text(architecture) }])],
    attachments: [{ artifactType: 'application/vnd.cyclonedx+json', content: text('{"components":[]}') }],
  }));
  return buildImage({ platforms: await Promise.all(platforms), config: { Entrypoint: ['/bin/tool'] }, created });
}

describe('a layer', () => {
  it('is the same whatever the order of its files', async () => {
    expect((await buildLayer([...files].reverse())).digest).toBe((await buildLayer(files)).digest);
  });

  it('is an archive that tar reads', async () => {
    const listing = execFileSync('tar', ['-tvzf', '-'], { input: (await buildLayer(files)).content }).toString();
    expect(listing).toMatch(/drwxr-xr-x .* bin\/\n/);
    expect(listing).toMatch(/drwxrwxrwt .* tmp\/\n/);
    expect(listing).toContain('bin/again link to bin/tool');
    expect(listing).toContain('bin/link -> tool');
    expect(listing).toContain(long);
  });

  it('has no path outside of it, and none twice', async () => {
    for (const path of ['/etc/passwd', '../etc', 'a/../b', ''])
      await expect(buildLayer([{ path, content: text('') }])).rejects.toThrow('cannot have the path');
    await expect(buildLayer([{ path: 'a' }, { path: 'a' }])).rejects.toThrow('twice');
    await expect(buildLayer([{ path: 'x'.repeat(300) }])).rejects.toThrow('too long');
  });
});

describe('an image', () => {
  let folder: TestFolder;
  beforeAll(() => void (folder = new TestFolder()));
  afterAll(() => folder[Symbol.dispose]());

  it('is loaded for a platform, with its files and its configuration', async () => {
    const archive = folder.join('image.tar');
    await writeImageArchive(await imageWith('amd64', 'arm64'), 'tools/tool:1', archive);
    await using store = await ImageStore.open({ folder: folder.join('store') });
    await store.load(archive, { platform: { os: 'linux', architecture: 'arm64' } });
    const image = await store.pull('tools/tool:1', {
      policy: 'Never',
      platform: { os: 'linux', architecture: 'arm64' },
    });
    const root = image.layers[0] as string;
    expect(image.config.entrypoint).toEqual(['/bin/tool']);
    expect(readFileSync(join(root, 'etc/arch'), 'utf8')).toBe('arm64');
    expect(readFileSync(join(root, 'bin/again'), 'utf8')).toBe('tool');
    expect(readFileSync(join(root, long), 'utf8')).toBe('long');
    await image.release();
  });

  it('is attached to by documents that go where its index goes', async () => {
    const { index, blobs } = await imageWith('amd64', 'arm64');
    const json = (digest: string) => JSON.parse(Buffer.from(blobs.get(digest) ?? '').toString('utf8'));
    const { manifests } = json(index.digest);
    expect(manifests.map(({ platform }: { platform: object }) => Object.values(platform).join('/'))).toEqual([
      'linux/amd64',
      'linux/arm64',
      'unknown/unknown',
      'unknown/unknown',
    ]);
    const attached = json(manifests[3].digest);
    expect(attached.subject.digest).toBe(manifests[1].digest);
    expect(json(attached.layers[0].digest)).toEqual({ components: [] });
  });

  it('is an archive that is the same each time', async () => {
    const bytes = await Promise.all(
      ['first', 'second'].map(async (name) => {
        mkdirSync(folder.join(name));
        const file = folder.join(`${name}/image.tar`);
        await writeImageArchive(await imageWith('amd64'), 'tools/tool:1', file);
        return readFileSync(file);
      }),
    );
    expect(bytes[0]?.equals(bytes[1] as Buffer)).toBe(true);
  });
});
