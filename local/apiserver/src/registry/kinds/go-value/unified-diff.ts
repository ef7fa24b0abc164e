/**
 * Unified diffs with the same hunks that Python's difflib (and its Go port, which Kubernetes uses in messages about
 * immutable specs) produces: longest matching block first, then left and right of it.
 */

interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

type Tag = 'equal' | 'replace' | 'delete' | 'insert';

interface OpCode {
  readonly tag: Tag;
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

/**
 * The difference between two texts, without file headers; empty when they are equal.
 *
 * @example
 * unifiedDiff('a\nb', 'a\nc') // '@@ -1,2 +1,2 @@\n a\n-b\n+c\n'
 */
export function unifiedDiff(before: string, after: string, context = 3): string {
  const a = before.split('\n');
  const b = after.split('\n');
  let text = '';
  for (const group of groupOpCodes(opCodes(a, b), context)) {
    const first = group[0] as OpCode;
    const last = group[group.length - 1] as OpCode;
    text += `@@ -${formatRange(first.a1, last.a2)} +${formatRange(first.b1, last.b2)} @@\n`;
    for (const code of group) text += hunkLines(code, a, b);
  }
  return text;
}

function hunkLines({ tag, a1, a2, b1, b2 }: OpCode, a: readonly string[], b: readonly string[]): string {
  let text = '';
  if (tag === 'equal') {
    for (const line of a.slice(a1, a2)) text += ` ${line}\n`;
    return text;
  }
  if (tag !== 'insert') for (const line of a.slice(a1, a2)) text += `-${line}\n`;
  if (tag !== 'delete') for (const line of b.slice(b1, b2)) text += `+${line}\n`;
  return text;
}

function formatRange(start: number, stop: number): string {
  const length = stop - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

/** Lines of `b` by content; lines that are too frequent in a long text say nothing about where they belong. */
function indexLines(b: readonly string[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [i, line] of b.entries()) {
    const known = index.get(line);
    if (known) known.push(i);
    else index.set(line, [i]);
  }
  if (b.length >= 200) {
    const limit = Math.floor(b.length / 100) + 1;
    for (const [line, places] of index) if (places.length > limit) index.delete(line);
  }
  return index;
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  index: ReadonlyMap<string, readonly number[]>,
  range: readonly [number, number, number, number],
): Match {
  const [a1, a2, b1, b2] = range;
  let best: Match = { a: a1, b: b1, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = a1; i < a2; i++) {
    const next = new Map<number, number>();
    for (const j of index.get(a[i] as string) ?? []) {
      if (j < b1) continue;
      if (j >= b2) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  return extend(a, b, range, best);
}

/** Grows a match over frequent lines next to it, which the index leaves out. */
function extend(
  a: readonly string[],
  b: readonly string[],
  [a1, a2, b1, b2]: readonly [number, number, number, number],
  match: Match,
): Match {
  let { a: i, b: j, size } = match;
  while (i > a1 && j > b1 && a[i - 1] === b[j - 1]) {
    i--;
    j--;
    size++;
  }
  while (i + size < a2 && j + size < b2 && a[i + size] === b[j + size]) size++;
  return { a: i, b: j, size };
}

function matchingBlocks(a: readonly string[], b: readonly string[]): Match[] {
  const index = indexLines(b);
  const pending: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  const found: Match[] = [];
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const match = longestMatch(a, b, index, range);
    if (match.size === 0) continue;
    found.push(match);
    const [a1, a2, b1, b2] = range;
    if (a1 < match.a && b1 < match.b) pending.push([a1, match.a, b1, match.b]);
    if (match.a + match.size < a2 && match.b + match.size < b2)
      pending.push([match.a + match.size, a2, match.b + match.size, b2]);
  }
  found.sort((x, y) => x.a - y.a || x.b - y.b);
  return found;
}

function opCodes(a: readonly string[], b: readonly string[]): OpCode[] {
  const codes: OpCode[] = [];
  let i = 0;
  let j = 0;
  for (const match of [...matchingBlocks(a, b), { a: a.length, b: b.length, size: 0 }]) {
    const changed = i < match.a;
    const added = j < match.b;
    if (changed || added) {
      const tag: Tag = changed && added ? 'replace' : changed ? 'delete' : 'insert';
      codes.push({ tag, a1: i, a2: match.a, b1: j, b2: match.b });
    }
    i = match.a + match.size;
    j = match.b + match.size;
    if (match.size > 0) codes.push({ tag: 'equal', a1: match.a, a2: i, b1: match.b, b2: j });
  }
  return joinEqual(codes);
}

/** Adjacent equal blocks are one. */
function joinEqual(codes: readonly OpCode[]): OpCode[] {
  const joined: OpCode[] = [];
  for (const code of codes) {
    const last = joined[joined.length - 1];
    if (last?.tag === 'equal' && code.tag === 'equal')
      joined[joined.length - 1] = { ...last, a2: code.a2, b2: code.b2 };
    else joined.push(code);
  }
  return joined;
}

function groupOpCodes(codes: readonly OpCode[], context: number): OpCode[][] {
  const trimmed = codes.map((code, i) => {
    if (code.tag !== 'equal') return code;
    if (i === 0) return { ...code, a1: Math.max(code.a1, code.a2 - context), b1: Math.max(code.b1, code.b2 - context) };
    if (i === codes.length - 1)
      return { ...code, a2: Math.min(code.a2, code.a1 + context), b2: Math.min(code.b2, code.b1 + context) };
    return code;
  });
  const groups: OpCode[][] = [];
  let group: OpCode[] = [];
  for (const code of trimmed) {
    if (code.tag === 'equal' && code.a2 - code.a1 > context * 2) {
      group.push({ ...code, a2: Math.min(code.a2, code.a1 + context), b2: Math.min(code.b2, code.b1 + context) });
      groups.push(group);
      group = [{ ...code, a1: Math.max(code.a1, code.a2 - context), b1: Math.max(code.b1, code.b2 - context) }];
    } else group.push(code);
  }
  if (group.length > 0) groups.push(group);
  return groups.filter((codesOfGroup) => codesOfGroup.some(({ tag }) => tag !== 'equal'));
}
