import type { CertificateRequest, KeyPair } from './certificates.ts';
import type { SigningOptions, SigningRequest } from './signing-request.ts';

/** The library that reads and writes requests is large, and most programs never see one. */
const load = () => import('./pkcs10.ts');

/** Reads a request (PKCS #10, PEM). Rejects with an Error that says what is wrong with it. */
export async function readSigningRequest(pem: string): Promise<SigningRequest> {
  return (await load()).readSigningRequest(pem);
}

/** Asks for a certificate for the key (PKCS #8, PEM): a PKCS #10 request, PEM. */
export async function createSigningRequest(
  key: string,
  subject: Pick<CertificateRequest, 'commonName' | 'organizations'>,
): Promise<string> {
  return (await load()).createSigningRequest(key, subject);
}

/** Whether a request is about this key. */
export async function isRequestFor(pem: string, key: string): Promise<boolean> {
  return (await load()).isRequestFor(pem, key);
}

/**
 * The certificate that a request asks for, PEM, signed by the authority: its subject, names and key are the request's, all
 * else is decided here. It never outlives the authority.
 */
export async function signRequest(authority: KeyPair, pem: string, options: SigningOptions): Promise<string> {
  return (await load()).signRequest(authority, pem, options);
}
