import type { KubeObject } from '@tektite/meta';
import { defineKind, type Kind, s } from '@tektite/schema';
import { kindDescriptions } from './descriptions/field-description.ts';
import { schemaOfStruct } from './schema-of-struct.ts';
import { defineStructs } from './struct-table.ts';

/** A public key: exactly one of its sources is given. */
export interface KeyRef {
  /** A Secret with one key. */
  readonly secretRef?: { readonly name?: string; readonly namespace?: string };
  /** The key itself, in PEM. */
  readonly data?: string;
  /** The address of a key management service. */
  readonly kms?: string;
  /** `sha224`, `sha256` (the default), `sha384` or `sha512`. */
  readonly hashAlgorithm?: string;
}

export interface Authority {
  readonly name: string;
  readonly key?: KeyRef;
}

export interface VerificationPolicySpec {
  /** Regular expressions. A source that one of them matches as a whole is subject to the policy. */
  readonly resources: readonly { readonly pattern: string }[];
  /** Who may have signed: one of them is enough. */
  readonly authorities: readonly Authority[];
  /** Whether what is not signed fails a run (`enforce`, the default) or is only told. */
  readonly mode?: string;
}

/** Who must have signed what is fetched from which places. */
export interface VerificationPolicyObject extends KubeObject {
  readonly spec: VerificationPolicySpec;
}

defineStructs('v1alpha1', {
  VerificationPolicy: { metadata: 'meta/v1.ObjectMeta+', spec: '~VerificationPolicySpec+' },
  VerificationPolicySpec: {
    resources: '[]~ResourcePattern!',
    authorities: '[]~Authority!',
    mode: '#v1alpha1.ModeType',
  },
  ResourcePattern: { pattern: 'string!' },
  Authority: { name: 'string!', key: '*~KeyRef' },
  KeyRef: {
    secretRef: '*core/v1.SecretReference',
    data: 'string',
    kms: 'string',
    hashAlgorithm: '#v1alpha1.HashAlgorithm',
  },
});

/** `tekton.dev/v1alpha1`, its only version. */
export const VerificationPolicy = defineKind({
  group: 'tekton.dev',
  version: 'v1alpha1',
  kind: 'VerificationPolicy',
  plural: 'verificationpolicies',
  categories: ['tekton', 'tekton-pipelines'],
  description: kindDescriptions['VerificationPolicy'] ?? '',
  fields: {
    spec: s.raw<unknown>({
      ...schemaOfStruct('tekton/v1alpha1.VerificationPolicySpec'),
      description: 'Sources and keys.',
    }),
  },
}) as unknown as Kind<VerificationPolicyObject>;
