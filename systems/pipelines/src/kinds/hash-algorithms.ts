/** The hashes that a key may be used with, by their names in a VerificationPolicy; none means SHA-256. */
export const hashAlgorithms: ReadonlyMap<string, string> = new Map([
  ['', 'sha256'],
  ['sha224', 'sha224'],
  ['sha256', 'sha256'],
  ['sha384', 'sha384'],
  ['sha512', 'sha512'],
]);
