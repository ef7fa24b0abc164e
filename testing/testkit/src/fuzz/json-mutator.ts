import type { Random } from '@tektite/meta';

/** Values that readers of JSON forget. */
const hostile: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x',
  '../../etc/passwd',
  '__proto__',
  [],
  [null],
  [[]],
  {},
  { length: 1 },
  'y'.repeat(10_000),
];

/** Makes hostile documents out of good ones by their structure: values replaced, left out, repeated and moved. */
export class JsonMutator {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  /** A changed copy. */
  mutate(value: unknown): unknown {
    let result = value;
    for (let count = this.upTo(4); count >= 0; count--) result = this.change(result);
    return result;
  }

  private change(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.upTo(8) === 0) return this.pick(hostile);
    if (Array.isArray(value)) return this.changeList(value);
    const keys = Object.keys(value);
    if (keys.length === 0) return { [this.pick(['a', '__proto__', ''])]: this.pick(hostile) };
    const key = this.pick(keys);
    const { [key]: old, ...rest } = value as Record<string, unknown>;
    if (this.upTo(6) === 0) return rest;
    return { ...rest, [key]: this.change(old) };
  }

  private changeList(list: readonly unknown[]): readonly unknown[] {
    if (list.length === 0) return [this.pick(hostile)];
    const at = this.upTo(list.length);
    if (this.upTo(6) === 0) return Array.from({ length: 200 }, () => list[at]);
    return list.map((each, index) => (index === at ? this.change(each) : each));
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.upTo(from.length)] as T;
  }

  private upTo(count: number): number {
    return Math.floor(this.random.next() * count);
  }
}
