import { expect, it } from 'vitest';
import { edgePath, layoutGraph, type LayoutNode } from './layered-layout.ts';

const sizes = { nodeHeight: 30, gapX: 40, gapY: 10 };
const node = (id: string, ...parents: string[]): LayoutNode => ({ id, parents, width: 100 });

it('places every node behind all that it waits for', () => {
  const { places, edges } = layoutGraph(
    [node('a'), node('b', 'a'), node('c', 'a'), node('d', 'b', 'c'), node('e', 'a', 'd')],
    sizes,
  );
  expect([...places].map(([id, { level }]) => [id, level])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 1],
    ['d', 2],
    ['e', 3],
  ]);
  for (const { from, to } of edges) expect(places.get(from)?.x).toBeLessThan(places.get(to)?.x ?? 0);
});

it('lets no two nodes overlap', () => {
  const nodes = Array.from({ length: 60 }, (_, index) =>
    node(`n${index}`, ...(index < 5 ? [] : [`n${(index * 7) % 5}`, `n${index % 4}`])),
  );
  const { places } = layoutGraph(nodes, sizes);
  const all = [...places.values()];
  for (const [index, a] of all.entries())
    for (const b of all.slice(index + 1)) expect(a.level !== b.level || Math.abs(a.y - b.y) >= 40 - 1).toBe(true);
});

it('orders a column as its parents are, so that edges do not cross', () => {
  const { places } = layoutGraph(
    [node('a'), node('b'), node('c'), node('z', 'a'), node('y', 'b'), node('x', 'c')],
    sizes,
  );
  const y = (id: string) => places.get(id)?.y ?? 0;
  expect([y('z') < y('y'), y('y') < y('x')]).toEqual([true, true]);
});

it('survives circles, unknown parents and long chains', () => {
  expect(layoutGraph([node('a', 'b'), node('b', 'a'), node('c', 'none')], sizes).places.size).toBe(3);
  const chain = Array.from({ length: 5000 }, (_, index) => node(`${index}`, `${index - 1}`));
  expect(layoutGraph(chain, sizes).places.get('4999')?.level).toBe(4999);
  expect(layoutGraph([], sizes)).toMatchObject({ width: 0, height: 0 });
});

it('draws straight edges level and others with a bend before their end', () => {
  const place = { x: 0, y: 0, width: 100, height: 30 };
  expect(edgePath(place, { x: 140, y: 0, height: 30 })).toBe('M100 15H140');
  expect(edgePath(place, { x: 500, y: 60, height: 30 })).toMatch(/^M100 15H404C/);
});
