import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const section = /^## How a TaskRun travels[^\n]*\n([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
const steps = section.split(/^(?=\d+\. )/m).slice(1);

test('the walk of a TaskRun names each room once', () => {
  const rooms = steps.map((step) => /`([a-z]+\/[a-z-]+)`/.exec(step)?.[1]);
  expect(rooms.length).toBeGreaterThan(5);
  expect(new Set(rooms).size).toBe(rooms.length);
});

test.for(steps.map((step) => [/`([^`]+)`/.exec(step)?.[1], step]))('the files of %s exist', ([room, step]) => {
  const paths = [...step.matchAll(/`(src\/[^`]+)`/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(1);
  expect(paths.filter((path) => !existsSync(join(root, room, path)))).toEqual([]);
});
