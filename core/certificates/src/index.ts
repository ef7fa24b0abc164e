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
export {
  createSigningRequest,
  isRequestFor,
  readSigningRequest,
  type SigningOptions,
  type SigningRequest,
  signRequest,
} from './signing-request.ts';
export { isVouchedServer } from './vouched-server.ts';
