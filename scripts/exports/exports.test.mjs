import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRooms } from '../layers/rooms.mjs';
import { exportedNames } from './exported-names.mjs';

const root = join(import.meta.dirname, '..', '..');
const packages = readRooms(root)
  .filter(({ manifest }) => manifest.exports)
  .map(({ path, manifest }) => [manifest.name, path, manifest.exports]);

test('there are packages with exports', () => {
  expect(packages.length).toBeGreaterThan(0);
});

test.for(packages)('%s exports the names in %s/exports.txt', async ([name, path, entryPoints]) => {
  const text = Object.entries(entryPoints)
    .map(([subpath, { source }]) => {
      const lines = exportedNames(join(root, path, source)).map((line) => `  ${line}\n`);
      return `${name}${subpath.slice(1)}\n${lines.join('')}`;
    })
    .join('\n');
  await expect(
    text,
    `The exports of ${name} differ from ${path}/exports.txt. Where that is meant, run ` +
      '`npx vitest run scripts/exports -u` and commit the file, so that the review shows it.',
  ).toMatchFileSnapshot(join(root, path, 'exports.txt'));
});
