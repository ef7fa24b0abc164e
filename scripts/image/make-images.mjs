import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, buildLayer, ownPlatform, writeImageArchive } from '@tektite/oci';
import { imageBill } from './image-bill.mjs';
import { commandFiles, entrypointFiles, nodeFiles, shellFiles, user } from './image-files.mjs';
import { node } from './pins.mjs';

/**
 * Makes the images of a release, as archives: each an index for the architectures, with bills of materials that refer to its images. No
 * container engine is needed.
 *
 * @param {{ staging: string, architectures: string[], version: string, bill: object, output: string, source: string }} release with
 *   `staging` the staged packages of npm, and `source` the address of the repository
 * @returns {Promise<{ name: string, file: string, digest: string }[]>}
 */
export async function makeImages({ staging, architectures, version, bill, output, source }) {
  const work = mkdtempSync(join(tmpdir(), 'tektite-image-'));
  mkdirSync(output, { recursive: true });
  const { created, revision } = commit();
  const labels = (title, description) => ({
    'org.opencontainers.image.title': title,
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': revision,
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.source': source,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  });
  const make = async (name, layersOf, config, annotations, parts) => {
    const built = await Promise.all(
      architectures.map(async (architecture) => ({
        platform: ownPlatform(architecture),
        layers: await Promise.all(layersOf(architecture).map(buildLayer)),
        attachments: [attachmentOf(imageBill(bill, { name, version, architecture, ...parts }))],
      })),
    );
    const image = buildImage({
      platforms: built,
      config: { ...config, Labels: annotations },
      created,
      annotations,
    });
    const file = join(output, `${name.split('/').at(-1)}-${version}.oci.tar`);
    await writeImageArchive(image, `${name}:${version}`, file);
    return { name: `${name}:${version}`, file, digest: image.index.digest };
  };
  try {
    return [
      await make(
        'tektite.dev/tektite',
        (architecture) => [nodeFiles(architecture, work), commandFiles(staging, architecture)],
        {
          User: `${user}:${user}`,
          Env: ['PATH=/usr/local/bin', 'HOME=/home/tektite', 'NODE_ENV=production', `NODE_VERSION=${node.version}`],
          Entrypoint: ['/usr/local/bin/tektite'],
          Cmd: ['--help'],
          WorkingDir: '/home/tektite',
        },
        labels('Tektite', 'Tektite and its systems: Tekton Pipelines, Triggers, Chains and operators in one program'),
        { packages: ['libc6', 'libstdc++6', 'libgcc-s1'], hasNode: true },
      ),
      await make(
        'tektite.dev/entrypoint',
        (architecture) => [entrypointFiles(staging, architecture)],
        { User: `${user}:${user}`, Entrypoint: ['/ko-app/nop'] },
        labels(
          'Tektite entrypoint',
          'The programs that Pods of TaskRuns start with, and that sidecars are stopped with',
        ),
        { packages: [], hasNode: false },
      ),
      await make(
        'tektite.dev/shell',
        (architecture) => [shellFiles(architecture, work)],
        { User: `${user}:${user}`, Env: ['PATH=/bin'], Cmd: ['sh'] },
        labels('Tektite shell', 'A shell that places the scripts of steps'),
        { packages: ['busybox-static'], hasNode: false },
      ),
    ];
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function attachmentOf(bill) {
  const content = Buffer.from(`${JSON.stringify(bill, undefined, 2)}\n`);
  return { artifactType: 'application/vnd.cyclonedx+json', content };
}

/** Images carry the time of the commit, not that of the build. */
function commit() {
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct %H'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  const [seconds = '0', revision = 'unknown'] = status === 0 ? stdout.trim().split(' ') : [];
  return { created: new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z'), revision };
}
