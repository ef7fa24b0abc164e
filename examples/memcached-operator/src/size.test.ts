import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('.', import.meta.url);
const isSource = (name: string) => !/\.(test|cases)\.ts$|^test-support\.ts$/.test(name);

it('the operator has under 200 lines, and as many as its README says', () => {
  const readme = readFileSync(new URL('../README.md', folder), 'utf8');
  const documented = new Map(
    [...readme.matchAll(/`src\/(\S+\.ts)`\]\S+ \| (\d+) \|/g)].map(([, name, lines]) => [name, lines]),
  );
  const found = new Map(
    readdirSync(folder)
      .filter(isSource)
      .map((name) => [name, String(readFileSync(new URL(name, folder), 'utf8').split('\n').length - 1)]),
  );
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(found));
  expect([...found.values()].reduce((sum, lines) => sum + Number(lines), 0)).toBeLessThan(200);
});
