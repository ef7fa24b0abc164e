import { createPublicKey, verify } from 'node:crypto';
import { pemBlocks } from './pem.ts';

/** A PKCS #10 request: who wants a certificate, for which key, signed by that key. Node itself cannot read them. */

interface DerElement {
  readonly tag: number;
  /** With tag and length. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

const sequence = 0x30;

const digests: Readonly<Record<string, { readonly digest: string | null; readonly failure: string }>> = {
  '2a864886f70d01010b': { digest: 'sha256', failure: 'crypto/rsa: verification error' },
  '2a864886f70d01010c': { digest: 'sha384', failure: 'crypto/rsa: verification error' },
  '2a864886f70d01010d': { digest: 'sha512', failure: 'crypto/rsa: verification error' },
  '2a8648ce3d040302': { digest: 'sha256', failure: 'x509: ECDSA verification failure' },
  '2a8648ce3d040303': { digest: 'sha384', failure: 'x509: ECDSA verification failure' },
  '2a8648ce3d040304': { digest: 'sha512', failure: 'x509: ECDSA verification failure' },
  '2b6570': { digest: null, failure: 'x509: Ed25519 verification failure' },
};

class DerError extends Error {}

/** The error of a request in PEM form; nothing when it is well formed and its signature is valid. */
export function requestViolation(pem: string): string | undefined {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return signatureViolation(block.bytes);
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

function signatureViolation(bytes: Buffer): string | undefined {
  const request = element(bytes, 0);
  if (request.tag !== sequence) throw new DerError(mismatch(request));
  if (request.whole.length !== bytes.length) throw new DerError('asn1: syntax error: trailing data');
  const [info, algorithm, signature] = elements(request.content);
  const [, , publicKey] = info ? elements(info.content) : [];
  const [identifier] = algorithm ? elements(algorithm.content) : [];
  if (!info || !publicKey || !identifier || !signature) throw new DerError('asn1: syntax error: sequence truncated');
  const known = digests[identifier.content.toString('hex')];
  if (!known) return 'x509: cannot verify signature: algorithm unimplemented';
  return isSigned(info, publicKey, signature, known.digest) ? undefined : known.failure;
}

function isSigned(info: DerElement, publicKey: DerElement, signature: DerElement, digest: string | null): boolean {
  try {
    const key = createPublicKey({ key: publicKey.whole, format: 'der', type: 'spki' });
    // The first byte of a bit string says how many bits of the last one are unused.
    return verify(digest, info.whole, key, signature.content.subarray(1));
  } catch {
    return false;
  }
}

function elements(bytes: Buffer): DerElement[] {
  const list: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const next = element(bytes, at);
    list.push(next);
    at += next.whole.length;
  }
  return list;
}

function element(bytes: Buffer, at: number): DerElement {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw new DerError('asn1: syntax error: truncated tag or length');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? first : Number.parseInt(bytes.toString('hex', at + 2, start) || '0', 16);
  if (lengthBytes > 4 || start + length > bytes.length) throw new DerError('asn1: syntax error: data truncated');
  return { tag, whole: bytes.subarray(at, start + length), content: bytes.subarray(start, start + length) };
}

function mismatch({ tag, content }: DerElement): string {
  const found = `{class:${tag >> 6} tag:${tag & 0x1f} length:${content.length} isCompound:${(tag & 0x20) !== 0}}`;
  return `asn1: structure error: tags don't match (16 vs ${found}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @2`;
}
