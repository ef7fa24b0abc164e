export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Larger texts are shown as removed and added as a whole. */
const maxCells = 4_000_000;

/** The lines of two texts: those of both, those that are new, those that are not there any more. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ kind: 'same', text }));
  const middle = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

/** By the longest common subsequence. */
function diffMiddle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (a.length * b.length > maxCells) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left = '', right = ''] = [a[i], b[j]];
    if (i < a.length && j < b.length && left === right) {
      lines.push({ kind: 'same', text: left });
      i++;
      j++;
    } else if (
      i < a.length &&
      (j === b.length || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      lines.push(removed(left));
      i++;
    } else {
      lines.push(added(right));
      j++;
    }
  }
  return lines;
}

/** The changes with a few lines around them; `undefined` stands for lines that are left out. */
export function diffHunks(lines: readonly DiffLine[], around = 3): readonly (DiffLine | undefined)[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') for (let at = index - around; at <= index + around; at++) near.add(at);
  });
  const shown: (DiffLine | undefined)[] = [];
  lines.forEach((line, index) => {
    if (near.has(index)) shown.push(line);
    else if (near.has(index - 1) || (index === 0 && near.size > 0)) shown.push(undefined);
  });
  return shown;
}
