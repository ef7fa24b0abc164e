/** Certificate authorities and the certificates they issue. */
export {
  type CertificateRequest,
  createAuthority,
  issueCertificate,
  type KeyPair,
  type ValidityOptions,
} from './certificates.ts';
export { type CertificateFacts, isKeyPair, readCertificate, splitCertificates } from './read-certificate.ts';
export { readSigningRequest, type SigningOptions, type SigningRequest, signRequest } from './signing-request.ts';
export { isVouchedServer } from './vouched-server.ts';
