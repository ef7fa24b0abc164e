import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

interface PemBlock {
  readonly type: string;
  readonly text: string;
}

const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n[A-Za-z0-9+/=\s]*?-----END \1-----/g;

function pemBlocks(base64: string): PemBlock[] {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  return [...text.matchAll(pemBlock)].map(([block, type]) => ({ type: type as string, text: block }));
}

/** The error of Go's TLS for a certificate and a key that do not match; nothing when they do. */
export function keyPairWarning(certificate: string, key: string): string | undefined {
  const blocks = pemBlocks(certificate);
  const found = blocks.find(({ type }) => type === 'CERTIFICATE');
  if (!found) return certificateProblem(blocks);
  const keyBlocks = pemBlocks(key);
  const keyBlock = keyBlocks.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (!keyBlock) return keyProblem(keyBlocks);
  return mismatch(found.text, keyBlock.text);
}

function certificateProblem(blocks: readonly PemBlock[]): string {
  if (blocks.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (blocks.length === 1 && blocks[0]?.type.endsWith('PRIVATE KEY'))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  const types = blocks.map(({ type }) => type).join(' ');
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types}]`;
}

function keyProblem(blocks: readonly PemBlock[]): string {
  if (blocks.length === 0) return 'tls: failed to find any PEM data in key input';
  if (blocks.length === 1 && blocks[0]?.type === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  const types = blocks.map(({ type }) => type).join(' ');
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types}]`;
}

function mismatch(certificatePem: string, keyPem: string): string | undefined {
  let certificate: X509Certificate;
  let key: KeyObject;
  try {
    certificate = new X509Certificate(certificatePem);
  } catch {
    return 'x509: malformed certificate';
  }
  try {
    key = createPrivateKey(keyPem);
  } catch {
    return 'tls: failed to parse private key';
  }
  if (certificate.publicKey.asymmetricKeyType !== key.asymmetricKeyType)
    return 'tls: private key type does not match public key type';
  return certificate.checkPrivateKey(key) ? undefined : 'tls: private key does not match public key';
}
