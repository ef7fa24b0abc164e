import { readSigningRequest, type SigningRequest } from '@tektite/certificates';
import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';

/** Reads the certificate request inside a CertificateSigningRequest. Returns an error for one that is not signed with its own key. */
export async function observeSubject({ spec }: CertificateSigningRequest): Promise<SigningRequest | Error> {
  try {
    const subject = await readSigningRequest(Buffer.from(spec.request, 'base64').toString('utf8'));
    return (await subject.verify()) ? subject : new Error('it is not signed with its own key');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
