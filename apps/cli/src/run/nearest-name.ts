/** The known word that a misspelt one most likely means; nothing when none is close. */
export function nearestName(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const each of known) {
    const distance = editDistance(word.toLowerCase(), each.toLowerCase());
    if (distance < least || (best === undefined && isShortFor(word, each))) {
      best = each;
      least = Math.min(least, distance);
    }
  }
  return best;
}

/** `src` for `source`: it starts the same, and all its letters follow in order. */
function isShortFor(word: string, name: string): boolean {
  if (word.length < 2 || word[0] !== name[0]) return false;
  let at = 0;
  for (const letter of name) if (letter === word[at]) at++;
  return at === word.length;
}

/** `; did you mean "who"?`, or the known words, or nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = nearestName(word, known);
  if (near !== undefined) return `; did you mean ${JSON.stringify(near)}?`;
  return known.length > 0 ? `; there are ${known.map((each) => JSON.stringify(each)).join(', ')}` : '';
}

/** How many letters have to be added, removed, replaced or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (rows[row - 1]?.[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (rows[row - 1]?.[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (rows[row - 2]?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(current);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
