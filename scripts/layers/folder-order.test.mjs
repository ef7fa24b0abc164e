import { expect, test } from 'vitest';
import { checkFolders, readFolderOrder } from './folder-order.mjs';

const graph = (imports) => new Map(Object.entries(imports));

test('reads the names of folders below the heading, in their order', () => {
  const readme =
    '# Room\n\n## Folders\n\nBottom first.\n\n1. `queue/`: keys\n2. `cache/` and `events/`\n\n## Promises\n\n`other/`\n';
  expect(readFolderOrder(readme)).toEqual(['queue', 'cache', 'events']);
  expect(readFolderOrder('# Room\n\n## Folders\n\n1. `last/`\n')).toEqual(['last']);
  expect(readFolderOrder('# Room\n')).toBeUndefined();
});

test('accepts imports that go down', () => {
  const imports = graph({
    'a/one.ts': [],
    'b/two.ts': ['a/one.ts', 'error.ts'],
    'error.ts': [],
    'index.ts': ['b/two.ts'],
  });
  expect(checkFolders(imports, ['a', 'b'])).toEqual([]);
});

test('reports an import that goes up', () => {
  const imports = graph({ 'a/one.ts': ['b/two.ts'], 'b/two.ts': [] });
  expect(checkFolders(imports, ['a', 'b'])).toEqual(['a/one.ts imports b/two.ts, but b/ is above it']);
});

test('an import of a file in no folder counts as an import of what that file imports', () => {
  const imports = graph({ 'a/one.ts': ['between.ts'], 'between.ts': ['b/two.ts'], 'b/two.ts': [] });
  expect(checkFolders(imports, ['a', 'b'])).toEqual(['a/one.ts imports b/two.ts, but b/ is above it']);
});

test('reports folders that import each other in a circle, at any depth', () => {
  const imports = graph({
    'a/x/one.ts': ['a/y/two.ts'],
    'a/y/two.ts': [],
    'a/y/three.ts': ['a/x/four.ts'],
    'a/x/four.ts': [],
  });
  expect(checkFolders(imports, ['a'])).toEqual(['folders import each other in a circle: a/x, a/y']);
});

test('reports a circle that passes through a file in no folder', () => {
  const imports = graph({ 'a/one.ts': ['between.ts'], 'between.ts': ['a/two.ts'], 'a/two.ts': [] });
  expect(checkFolders(imports, ['a'])).toEqual(['folders import each other in a circle: a, between.ts']);
});

test('reports files that import each other in a circle', () => {
  const imports = graph({ 'a/one.ts': ['a/two.ts'], 'a/two.ts': ['a/one.ts'] });
  expect(checkFolders(imports, ['a'])).toEqual(['files import each other in a circle: a/one.ts, a/two.ts']);
});

test('reports folders that the README does not name, names twice, or invents', () => {
  const imports = graph({ 'a/one.ts': [], 'b/two.ts': [] });
  expect(checkFolders(imports, undefined)).toHaveLength(1);
  expect(checkFolders(imports, ['a', 'a', 'c'])).toEqual([
    '"## Folders" of the README does not name b/',
    '"## Folders" of the README names a/ twice',
    '"## Folders" of the README names c/, which does not exist',
  ]);
});
