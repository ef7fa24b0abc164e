import { expect, it } from 'vitest';
import { RecentEncodings } from './recent-encodings.ts';

it('recent encodings are forgotten, oldest first, beyond a count and beyond a length', () => {
  const recent = new RecentEncodings<string>(3, 10);
  const objects = Array.from({ length: 5 }, () => ({}));
  const kept = () => objects.map((object) => recent.get(object));
  for (const object of objects.slice(0, 4)) recent.set(object, 'ab');
  expect(kept()).toEqual([undefined, 'ab', 'ab', 'ab', undefined]);
  recent.set(objects[4] as object, '12345678');
  expect(kept()).toEqual([undefined, undefined, undefined, 'ab', '12345678']);
  recent.set(objects[3] as object, 'abc');
  expect(kept()).toEqual([undefined, undefined, undefined, undefined, '12345678']);
  recent.set(objects[0] as object, 'longer than all');
  expect(kept()).toEqual(objects.map(() => undefined));
});
