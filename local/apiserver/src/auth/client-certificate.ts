import { unauthorizedError } from '@tektite/meta';
import type { ApiRequest, UserInfo } from '../request/api-request.ts';
import type { Authenticator } from './authenticator.ts';

/** Believes certificates signed by the cluster's own authority: the common name is the user, organizations are groups. */
export const clientCertificateAuthenticator: Authenticator = {
  authenticate({ clientCertificate, badClientCertificate }: ApiRequest): UserInfo | undefined {
    if (badClientCertificate) throw unauthorizedError();
    if (!clientCertificate || clientCertificate.commonName === '') return undefined;
    const { commonName, organizations, fingerprint } = clientCertificate;
    return {
      name: commonName,
      groups: organizations,
      extra: {
        'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint.replaceAll(':', '').toLowerCase()}`],
      },
    };
  },
};
