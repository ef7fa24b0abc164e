import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportedNames } from '../exports/exported-names.mjs';
import { readRooms } from '../layers/rooms.mjs';
import { isTestFile, sourceFiles } from '../layers/source-files.mjs';
import { pageFile, readRegistries, registryFiles, renderPage, root } from './error-page.mjs';

const registries = await readRegistries(registryFiles(), (file) => import(file));

it('docs/errors.md lists every code of every registry', () => {
  expect(registries.length).toBeGreaterThan(0);
  const hint = 'docs/errors.md is outdated: run `npm run build && npm run docs:errors` and commit it';
  expect(readFileSync(pageFile, 'utf8'), hint).toBe(renderPage(registries));
});

it('every code is in capitals and says when it happens and what to do', () => {
  const entries = registries.flatMap(({ codes }) => Object.entries(codes));
  for (const [code, { when, fix }] of entries) {
    expect(code).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
    expect([when, fix], code).toEqual([
      expect.stringMatching(/^[^A-Z].*[^.]$/),
      expect.stringMatching(/^[^A-Z].*[^.]$/),
    ]);
  }
});

it('no package exports a class of errors without a code, besides those with a reason of Kubernetes', () => {
  const exported = readRooms(root).flatMap(({ path, manifest }) => {
    const files = [...sourceFiles(join(root, path))].filter((file) => !isTestFile(file));
    const plain = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^export class (\w+) extends Error\b/gm)].map(([, name]) => name),
    );
    const names = new Set(
      Object.values(manifest.exports ?? {}).flatMap(({ source }) => exportedNames(join(root, path, source))),
    );
    return plain.filter((name) => names.has(name));
  });
  expect(exported.sort()).toEqual(['ContainerStartError', 'StatusError']);
});
