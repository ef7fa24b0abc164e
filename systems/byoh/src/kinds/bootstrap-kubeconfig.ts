import { type ObjectOf, s } from '@tektite/schema';
import { byohKind } from './byoh-kind.ts';

/** Asks for a kubeconfig with which new hosts may ask for a certificate, and for nothing else. */
export const BootstrapKubeconfig = byohKind({
  kind: 'BootstrapKubeconfig',
  description: 'A kubeconfig for hosts that are to register',
  fields: {
    spec: s
      .object({
        apiserver: s.string().describe('Where the API is: https://hostname:port'),
        'certificate-authority-data': s.string().describe('The PEM of its authority, in base64'),
        'insecure-skip-tls-verify': s.boolean().default(false).optional(),
      })
      .optional(),
    status: s
      .object({
        bootstrapKubeconfigData: s.string().optional().describe('The kubeconfig'),
        expirationTime: s.time().optional().describe('When the token in it ends'),
      })
      .optional(),
  },
});
export type BootstrapKubeconfig = ObjectOf<typeof BootstrapKubeconfig>;
