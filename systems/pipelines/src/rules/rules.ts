import { type FieldErrors, genericError } from '@tektite/controller/field-errors';
import type { ConfigDefaults } from '../config/config-defaults.ts';
import type { FeatureFlags } from '../config/feature-flags.ts';

/** The settings of validation besides the object. */
export interface Rules {
  readonly flags: FeatureFlags;
  readonly defaults: ConfigDefaults;
  readonly version: 'v1' | 'v1beta1' | 'v1alpha1';
  readonly isCreate: boolean;
}

/** Rejects a feature that the enabled API fields do not include. The error has no path. */
export function gate({ flags }: Rules, feature: string, wanted: 'alpha' | 'beta'): FieldErrors | undefined {
  const current = flags.enableAPIFields;
  if (current === 'alpha' || (current === 'beta' && wanted === 'beta')) return undefined;
  const allowed = wanted === 'alpha' ? '"alpha"' : '"alpha" or "beta"';
  return genericError(`${feature} requires "enable-api-fields" feature gate to be ${allowed} but it is "${current}"`);
}
