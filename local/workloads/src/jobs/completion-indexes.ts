/** Indexes in the short form of a Job's status: `0-2,4,6-9`. What is not of that form counts as none. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const range of text ? text.split(',') : []) {
    const match = /^([0-9]+)(?:-([0-9]+))?$/.exec(range);
    if (!match) continue;
    const last = Math.min(Number(match[2] ?? match[1]), completions - 1);
    for (let index = Number(match[1]); index <= last; index++) indexes.add(index);
  }
  return indexes;
}

export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const ranges: string[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end + 1 < sorted.length && sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    const [first, last] = [sorted[start], sorted[end]];
    // Two in a row are no range for upstream.
    if (end === start) ranges.push(`${first}`);
    else ranges.push(end === start + 1 ? `${first},${last}` : `${first}-${last}`);
    start = end + 1;
  }
  return ranges.join();
}
