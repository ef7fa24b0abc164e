/** FNV-1a of 32 bits, over UTF-8. */
function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/**
 * A name for a volume made from any text: the beginning of its hash. The same text has the same name in every Pod, and
 * it is upstream's.
 *
 * @example hashedName('ws', 'source', 5) // ws-1bcf2
 */
export function hashedName(prefix: string, text: string, digits: number): string {
  const hash = fnv32a(text).toString(16);
  return `${prefix}-${hash.slice(0, digits).padEnd(digits, '0')}`;
}

/** Names for several texts, all different. */
export function hashedNames(prefix: string, texts: readonly string[], digits: number): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const text of texts) {
    let name = hashedName(prefix, text, digits);
    while (taken.has(name)) name = hashedName(prefix, `${name}$`, digits);
    taken.add(name);
    names.set(text, name);
  }
  return names;
}
