import type { ObjectOf } from '@tektite/schema';
import { CrdSchemas, defineStructKind, go, type Struct, type StructValue } from '@tektite/schema/struct';
import { fieldDescription, kindDescriptions } from './descriptions/field-description.ts';

const keyRefFields = {
  /** A Secret with one key. */
  secretRef: go.pointer(go.builtin('core/v1.SecretReference')),
  /** The key itself, in PEM. */
  data: go.string(),
  /** The address of a key management service. */
  kms: go.string(),
  /** `sha224`, `sha256` (the default), `sha384` or `sha512`. */
  hashAlgorithm: go.string('HashAlgorithm'),
};
/** A public key: exactly one of its sources is given. */
export interface KeyRef extends StructValue<typeof keyRefFields> {}
const KeyRef: Struct<KeyRef> = go.struct('KeyRef', keyRefFields);

const authorityFields = { name: go.string().required(), key: go.pointer(KeyRef) };
export interface Authority extends StructValue<typeof authorityFields> {}
const Authority: Struct<Authority> = go.struct('Authority', authorityFields);

const specFields = {
  /** Regular expressions. A source that one of them matches as a whole is subject to the policy. */
  resources: go.list(go.struct('ResourcePattern', { pattern: go.string().required() })).required(),
  /** The signers, one of which is enough. */
  authorities: go.list(Authority).required(),
  /** Whether a missing signature fails a run (`enforce`, the default) or is only reported. */
  mode: go.string('ModeType'),
};
export interface VerificationPolicySpec extends StructValue<typeof specFields> {}
const VerificationPolicySpec: Struct<VerificationPolicySpec> = go.struct('VerificationPolicySpec', specFields);

/** `tekton.dev/v1alpha1`, its only version. */
export const VerificationPolicy = defineStructKind({
  group: 'tekton.dev',
  version: 'v1alpha1',
  plural: 'verificationpolicies',
  categories: ['tekton', 'tekton-pipelines'],
  description: kindDescriptions['VerificationPolicy'] ?? '',
  schemas: new CrdSchemas(fieldDescription),
  struct: go.struct('VerificationPolicy', { metadata: go.objectMeta(), spec: VerificationPolicySpec.required() }),
  descriptions: { spec: 'Sources and keys.' },
});

/** The keys that must have signed definitions from some sources. */
export interface VerificationPolicyObject extends ObjectOf<typeof VerificationPolicy> {}
