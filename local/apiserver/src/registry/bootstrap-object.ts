import type { KubeObject } from '@tektite/meta';

/** An object that a cluster has from its first moment. */
export type BootstrapObject = KubeObject & { readonly [field: string]: unknown };
