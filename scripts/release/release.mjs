// npm run release -- X.Y.Z [--output FOLDER] [--architectures x64,arm64]
//
// Makes everything that a release has, into dist/release: the packages of npm, the images, the bill of materials (CycloneDX), the
// changelog's part and checksums of all. It publishes nothing. Two runs from one commit give the same bytes.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { billOfMaterials } from './bill-of-materials.mjs';
import { changesOf } from './changes-of.mjs';
import { nativePackage, platforms, publishedRooms } from './published.mjs';
import { stagePackage } from './stage-package.mjs';
import { stagePrograms } from './stage-programs.mjs';

const root = join(import.meta.dirname, '../..');
const usage = 'usage: npm run release -- X.Y.Z [--output FOLDER] [--architectures x64,arm64]';

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main({ folder: 'dist/release' });

/** The command line of a release, or of its images alone. */
export async function main({ folder, onlyImages = false }) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { output: { type: 'string' }, architectures: { type: 'string' } },
  });
  const [version = ''] = positionals;
  if (!/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version) || positionals.length > 1) return fail(usage);
  const architectures = values.architectures?.split(',') ?? Object.keys(platforms);
  const unknown = architectures.find((architecture) => !(architecture in platforms));
  if (unknown !== undefined)
    return fail(`no architecture ${JSON.stringify(unknown)}; there are ${Object.keys(platforms).join(', ')}`);
  const output = resolve(values.output ?? join(root, folder));
  const staging = mkdtempSync(join(tmpdir(), 'tektite-release-'));
  try {
    rmSync(output, { recursive: true, force: true });
    mkdirSync(output, { recursive: true });
    run('npm', ['run', 'build', '--silent']);
    await stageAll(staging, version, architectures);
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const bill = billOfMaterials(lock, publishedRooms(root), version);
    if (!onlyImages) {
      pack(staging, join(output, 'npm'));
      writeFileSync(join(output, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`);
      writeFileSync(join(output, 'CHANGES.md'), changesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version));
    }
    const { makeImages } = await import('../image/make-images.mjs');
    const images = { staging, architectures, version, bill, output: join(output, 'images'), source: repositoryUrl() };
    for (const { name, digest } of await makeImages(images)) console.log(`image ${name}@${digest}`);
    writeFileSync(join(output, 'SHA256SUMS'), checksums(output));
  } catch (error) {
    return fail(error.message);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  console.log(`${onlyImages ? 'images' : 'release'} ${version}: ${output}`);
  return 0;
}

async function stageAll(staging, version, architectures) {
  const repository = repositoryUrl();
  for (const { path, manifest } of publishedRooms(root))
    await stagePackage({ root, path, manifest, repository }, version, join(staging, folderOf(manifest.name)));
  for (const architecture of architectures)
    stagePrograms(root, architecture, version, repository, join(staging, folderOf(nativePackage(architecture))));
}

function repositoryUrl() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).repository.url;
}

/** npm gives all files one time and order, so that the same files are the same archive. */
function pack(staging, output) {
  mkdirSync(output);
  const folders = readdirSync(staging)
    .sort()
    .map((name) => join(staging, name));
  run('npm', ['pack', '--pack-destination', output, '--ignore-scripts', '--silent', ...folders]);
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  if (status !== 0) throw new Error(`${command} ${args[0]} ${args[1] ?? ''}: ${stderr || stdout}`);
}

function checksums(output) {
  const files = readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const line = (file) =>
    `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${file.slice(output.length + 1)}\n`;
  return files.map(line).join('');
}

function folderOf(name) {
  return name.replace('@', '').replace('/', '-');
}

function fail(message) {
  console.error(message);
  return 1;
}
