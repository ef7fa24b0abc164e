import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { exportedNames } from './exported-names.mjs';

const folder = mkdtempSync(join(tmpdir(), 'exports-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileWith = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test('reads declarations, values before types', () => {
  const file = fileWith(
    'declarations.ts',
    'export interface Options {}\nexport type Name = string;\nexport async function start() {}\nexport abstract class Base {}\nexport const limit = 1;\nfunction own() {}\n',
  );
  expect(exportedNames(file)).toEqual(['Base', 'limit', 'start', 'type Name', 'type Options']);
});

test('reads lists over several lines, with types and new names', () => {
  const file = fileWith(
    'lists.ts',
    "export type { Lane } from './lane.ts';\nexport {\n  every,\n  type Queue,\n  inner as outer,\n} from './queue.ts';\n",
  );
  expect(exportedNames(file)).toEqual(['every', 'outer', 'type Lane', 'type Queue']);
});

test('follows stars, and makes types of everything behind a star of types', () => {
  fileWith('target.ts', 'export class Target {}\nexport interface Shape {}\n');
  expect(exportedNames(fileWith('star.ts', "export * from './target.ts';\n"))).toEqual(['Target', 'type Shape']);
  expect(exportedNames(fileWith('types.ts', "export type * from './target.ts';\n"))).toEqual([
    'type Shape',
    'type Target',
  ]);
});

test('shows generated files as one line', () => {
  const file = fileWith('generated.ts', "export type * from './generated/types.ts';\n");
  expect(exportedNames(file)).toEqual(["type * from './generated/types.ts'"]);
});

test('rejects an export of a form that it does not know', () => {
  expect(() => exportedNames(fileWith('default.ts', 'export default 1;\n'))).toThrow('unknown form of export');
});
