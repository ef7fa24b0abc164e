import { createHmac, timingSafeEqual } from 'node:crypto';

const algorithms: Readonly<Record<string, string>> = { sha1: 'sha1', sha256: 'sha256', sha512: 'sha512' };

/** Whether two texts are the same, in a time that does not depend on where they differ. */
export function isSameSecret(given: string, secret: Uint8Array): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === secret.length && timingSafeEqual(bytes, secret);
}

/** Checks `sha256=HEX` against the body. Returns what is wrong, in the words of go-github. */
export function signatureError(signature: string, body: string, secret: Uint8Array): string | undefined {
  if (signature === '') return 'missing signature';
  const equals = signature.indexOf('=');
  const [prefix, hex] = [signature.slice(0, equals), signature.slice(equals + 1)];
  if (equals < 0) return `error parsing signature "${signature}"`;
  const algorithm = Object.hasOwn(algorithms, prefix) ? algorithms[prefix] : undefined;
  if (algorithm === undefined) return `unknown hash type prefix: "${prefix}"`;
  const wrong = /[^0-9a-fA-F]/.exec(hex);
  if (wrong || hex.length % 2 === 1)
    return `error decoding signature "${signature}": encoding/hex: ${
      wrong ? `invalid byte: ${goRune(wrong[0])}` : 'odd length hex string'
    }`;
  const expected = createHmac(algorithm, secret).update(body).digest();
  const given = Buffer.from(hex, 'hex');
  const isSame = given.length === expected.length && timingSafeEqual(given, expected);
  return isSame ? undefined : 'payload signature check failed';
}

/** Go's `%#U`. */
function goRune(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} '${character}'`;
}
