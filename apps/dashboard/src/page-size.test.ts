import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from '../scripts/build-page.mjs';

describe('the built page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tektite-page-'));
  const sizeOf = (name: string) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length;
  beforeAll(async () => void (await buildPage(folder)));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('loads at most 100 KB at first, and 280 KB in all', () => {
    const names = readdirSync(folder);
    const imported = new Set(['index.html', 'icon.svg', ...names.filter((name) => /^(?:app|style)-/.test(name))]);
    // A static import of a loaded script is loaded, too.
    for (const name of imported)
      if (name.endsWith('.js'))
        for (const [, part = ''] of readFileSync(join(folder, name), 'utf8').matchAll(
          /(?:from|import)"\.\/([\w-]+\.js)"/g,
        ))
          imported.add(part);
    const total = (list: Iterable<string>) => [...list].reduce((sum, name) => sum + sizeOf(name), 0);
    expect(total(imported)).toBeLessThan(100_000);
    expect(total(names)).toBeLessThan(280_000);
  });

  it('has no inline scripts or styles, and nothing from elsewhere', () => {
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script>|https?:/);
  });
});
