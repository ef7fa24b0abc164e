/** Certificate authorities and the certificates they issue. */
export {
  type CertificateRequest,
  createAuthority,
  createKey,
  createSelfSigned,
  issueCertificate,
  type KeyPair,
  type ValidityOptions,
} from './certificates.ts';
export { createCosignKeys, isCosignKey, readCosignKey } from './cosign-key.ts';
export { type CertificateFacts, isKeyPair, readCertificate, splitCertificates } from './read-certificate.ts';
export { createSigningRequest, isRequestFor, readSigningRequest, signRequest } from './sign-request.ts';
export type { SigningOptions, SigningRequest } from './signing-request.ts';
export { isVouchedServer } from './vouched-server.ts';
