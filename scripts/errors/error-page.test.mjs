import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pageFile, readRegistries, registryFiles, renderPage } from './error-page.mjs';

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
