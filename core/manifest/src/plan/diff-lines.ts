/** A line of a difference. `gap`: lines that are the same were left out. */
export interface DiffLine {
  readonly type: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

/** Texts with more differences than this are shown as one replaced by the other: the search takes that much memory squared. */
const maxEdits = 1_500;
const contextLines = 3;

/**
 * How one text becomes another, line by line, with a few lines around each difference. The shortest way is found, unless the two
 * have hardly anything in common.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  return withGaps(edits(linesOf(before), linesOf(after)));
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function edits(a: readonly string[], b: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (text: string): DiffLine => ({ type: 'same', text });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/** Myers' search: for each number of edits, how far one gets on each diagonal. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const trace = searchPath(a, b);
  if (!trace) {
    return [
      ...a.map((text): DiffLine => ({ type: 'removed', text })),
      ...b.map((text): DiffLine => ({ type: 'added', text })),
    ];
  }
  const result: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d] as ReadonlyMap<number, number>;
    const k = x - y;
    const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : (reach.get(fromK) ?? 0);
    const fromY = d === 0 ? 0 : fromX - fromK;
    const stopX = d === 0 ? 0 : down ? fromX : fromX + 1;
    while (x > stopX && y > (d === 0 ? 0 : down ? fromY + 1 : fromY)) {
      x--;
      y--;
      result.push({ type: 'same', text: a[x] as string });
    }
    if (d === 0) break;
    if (down) result.push({ type: 'added', text: b[--y] as string });
    else result.push({ type: 'removed', text: a[--x] as string });
  }
  return result.reverse();
}

/** The furthest points of each number of edits; undefined when there are too many. */
function searchPath(a: readonly string[], b: readonly string[]): readonly ReadonlyMap<number, number>[] | undefined {
  const trace: ReadonlyMap<number, number>[] = [];
  const reach = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, maxEdits); d++) {
    trace.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return trace;
    }
  }
  return undefined;
}

function withGaps(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ type }, index) => {
    if (type !== 'same')
      near.fill(1, Math.max(0, index - contextLines), Math.min(lines.length, index + contextLines + 1));
  });
  const result: DiffLine[] = [];
  lines.forEach((line, index) => {
    if (near[index]) result.push(line);
    else if (result.at(-1)?.type !== 'gap') result.push({ type: 'gap', text: '…' });
  });
  return result.some(({ type }) => type !== 'gap') ? result : [];
}
