import { quoteGo } from '@tektite/meta';

/** Indexes of a Job, written as `1,3-5`. */
export interface Indexes {
  readonly total: number;
  readonly problem?: string;
}

type Interval = readonly [number, number];

function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split('-');
  if (limits.length > 2)
    return `the fragment ${quoteGo(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^[-+]?[0-9]+$/.test(limit)) return `cannot convert string to integer for index: ${quoteGo(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${quoteGo(limit)}`;
    numbers.push(Number(limit));
  }
  const [first = 0, last = first] = numbers;
  if (limits.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return [first, last];
}

/** How many indexes a text names, or why it names none. */
export function parseIndexes(text: string, completions: number): Indexes {
  if (text === '') return { total: 0 };
  let total = 0;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return { total: 0, problem: interval };
    const [first, last] = interval;
    if (previous !== undefined && previous >= first)
      return { total: 0, problem: `non-increasing order, previous: ${previous}, current: ${first}` };
    total += last - first + 1;
    previous = last;
  }
  return { total };
}

/** The first index that two texts share; parts that cannot be read are passed over. */
export function overlapOf(a: string, b: string, completions: number): number | undefined {
  const intervals = (text: string): Interval[] =>
    text === ''
      ? []
      : text.split(',').flatMap((part) => {
          const interval = parseInterval(part, completions);
          return typeof interval === 'string' ? [] : [interval];
        });
  const others = intervals(b);
  for (const [first, last] of intervals(a))
    for (const [otherFirst, otherLast] of others)
      if (first <= otherLast && otherFirst <= last) return Math.max(first, otherFirst);
  return undefined;
}
