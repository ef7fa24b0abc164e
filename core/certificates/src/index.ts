/** Certificate authorities and the certificates they issue. */
export { type CertificateRequest, createAuthority, issueCertificate, type KeyPair } from './certificates.ts';
