const letter = /\p{L}/u;
const digit = /\p{Nd}/u;

/**
 * The order in which Go's YAML prints the keys of a map: letters after everything else, and runs of digits by their value, so that
 * `a2` comes before `a10`.
 */
export function compareYamlKeys(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [charA, charB] = [a[at] as string, b[at] as string];
    if (charA === charB) continue;
    const [letterA, letterB] = [letter.test(charA), letter.test(charB)];
    if (letterA && letterB) return charA < charB ? -1 : 1;
    if (letterA || letterB) return letterB ? -1 : 1;
    return compareNumbers(a, b, at) || compareCodePoints(charA, charB);
  }
  return a.length - b.length;
}

/** Compares the numbers that start at the first difference. */
function compareNumbers(a: readonly string[], b: readonly string[], at: number): number {
  // Behind a digit that is not zero a leading zero counts, or `a10` and `a1` would be the same.
  const seed = (a[at] === '0' || b[at] === '0') && followsNumber(a, at) ? 1n : 0n;
  const [runA, runB] = [digitsFrom(a, at), digitsFrom(b, at)];
  const [valueA, valueB] = [BigInt(`${seed}${runA}`), BigInt(`${seed}${runB}`)];
  if (valueA !== valueB) return valueA < valueB ? -1 : 1;
  return runA.length - runB.length;
}

function followsNumber(chars: readonly string[], at: number): boolean {
  for (let back = at - 1; back >= 0 && digit.test(chars[back] as string); back--) if (chars[back] !== '0') return true;
  return false;
}

function digitsFrom(chars: readonly string[], start: number): string {
  let end = start;
  while (end < chars.length && /[0-9]/.test(chars[end] as string) && end - start < 18) end++;
  return chars.slice(start, end).join('');
}

function compareCodePoints(a: string, b: string): number {
  return (a.codePointAt(0) as number) - (b.codePointAt(0) as number);
}
