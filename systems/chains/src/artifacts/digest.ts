const lengths: Readonly<Record<string, number>> = { sha1: 40, sha256: 64, sha384: 96, sha512: 128 };

/** The algorithm and the digits of a digest, or `undefined` where it is none. */
export function parseDigest(text: string): readonly [algorithm: string, hex: string] | undefined {
  const parts = text.split(':');
  if (parts.length !== 2) return undefined;
  const algorithm = (parts[0] as string).trim().toLowerCase();
  const hex = (parts[1] as string).trim();
  const length = lengths[algorithm];
  return length === hex.length && /^[a-f0-9]+$/.test(hex) ? [algorithm, hex] : undefined;
}
