import type { System } from '@tektite/controller';
import { expect, it } from 'vitest';
import { onlyControllers } from './only-controllers.ts';

const controller = (name: string) => ({ name }) as System['controllers'][number];
const system: System = {
  name: 's',
  kinds: [],
  controllers: [controller('a'), controller('b')],
  configure: async () => ({ system: { controllers: [controller('a'), controller('b')] }, stop: async () => undefined }),
};
const namesOf = (systems: readonly System[]) =>
  systems.flatMap(({ controllers }) => controllers.map(({ name }) => name));

it('nothing named means all', () => {
  expect(namesOf(onlyControllers([system], undefined))).toEqual(['a', 'b']);
  expect(namesOf(onlyControllers([system], ' , '))).toEqual(['a', 'b']);
});

it('those that are named run, and no others, also once they are configured', async () => {
  const [only] = onlyControllers([system], 'B');
  expect(namesOf([only as System])).toEqual(['b']);
  const configured = await only?.configure?.({} as never);
  expect(configured?.system.controllers.map(({ name }) => name)).toEqual(['b']);
});

it('reports an unknown name, with the known ones', () => {
  expect(() => onlyControllers([system], 'a,c')).toThrow('un-identified controller names: c, supported names: [a b]');
});
