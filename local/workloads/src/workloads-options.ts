import type { Client } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import type { CertificateHooks } from './certificates/csr-controller.ts';
import type { StorageOptions } from './volumes/storage-options.ts';

export interface WorkloadsOptions {
  /**
   * Writes as it is given: a client with the field manager `kube-controller-manager` leaves the traces that upstream's
   * controllers do.
   */
  readonly client: Client;
  /** For garbage collection, which needs metadata alone. Over HTTP, give one over a `metadataTransport`. */
  readonly metadataClient?: Client;
  readonly log?: Logger;
  /** The certificates that verify the API server, for `kube-root-ca.crt`. A function is called for every reconcile. */
  readonly rootCertificate?: string | (() => string);
  /** Signs and approves certificate requests. Without it they stay as they are. */
  readonly certificates?: CertificateHooks;
  /** Where claims get their volumes; brings the StorageClass `standard`. Without it no volume is made. */
  readonly storage?: StorageOptions;
}
