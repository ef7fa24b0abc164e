import { type FieldErrors, invalidKeyName, invalidValue, noFieldErrors } from '@tektite/controller/field-errors';
import type { ChainSettings } from '../../kinds/chain-fields.ts';
import { oneOf, validatePerformance } from './validate-shared.ts';

const formats = ['in-toto', 'slsa/v1', 'slsa/v2alpha2', 'slsa/v2alpha3'];
const signers = ['x509', 'kms'];
const storages = ['', 'tekton', 'oci', 'gcs', 'docdb', 'grafeas', 'kafka'];

const allowed = {
  'artifacts.taskrun.format': formats,
  'artifacts.taskrun.signer': signers,
  'artifacts.pipelinerun.format': formats,
  'artifacts.pipelinerun.signer': signers,
  'artifacts.oci.format': ['simplesigning'],
  'artifacts.oci.signer': signers,
  'storage.oci.encoding-format': ['dsse', 'sigstore-bundle'],
  'signers.x509.fulcio.provider': ['google', 'spiffe', 'github', 'filesystem'],
  'transparency.enabled': ['true', 'false', 'manual'],
  'artifacts.pipelinerun.enable-deep-inspection': ['true', 'false'],
  'builddefinition.buildtype': ['https://tekton.dev/chains/v2/slsa', 'https://tekton.dev/chains/v2/slsa-tekton'],
} as const satisfies Partial<Record<keyof ChainSettings, readonly string[]>>;

const storageKeys = ['artifacts.taskrun.storage', 'artifacts.pipelinerun.storage', 'artifacts.oci.storage'] as const;

/** Validates the settings of Chains. */
export function validateChain(settings: ChainSettings): FieldErrors {
  let errors = noFieldErrors;
  for (const { name } of settings.controllerEnvs ?? [])
    if (name !== 'MONGO_SERVER_URL') errors = errors.also(invalidKeyName(name, 'supported keys are MONGO_SERVER_URL'));
  for (const key of Object.keys(allowed) as (keyof typeof allowed)[])
    errors = errors.also(oneOf(settings[key], allowed[key], `spec.${key}`));
  for (const key of storageKeys)
    for (const part of (settings[key] ?? '').split(','))
      if (!storages.includes(part.trim())) errors = errors.also(invalidValue(part.trim(), `spec.${key}`));
  return errors.also(validatePerformance(settings.performance, 'spec.performance'));
}
