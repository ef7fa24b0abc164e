import { ConfigError, type ConfigOf, customConfig } from '@tektite/controller/config';
import { quoteGo } from '@tektite/meta';
import { compilePattern } from '@tektite/schema';

/** The ConfigMap `feature-flags-triggers`. */
export const featureFlags = customConfig('feature-flags-triggers', (data) => {
  const invalid = (key: string, value: string) =>
    new ConfigError('INVALID_VALUE', `invalid value for feature flag ${quoteGo(key)}: ${quoteGo(value)}`);
  const enableAPIFields = (data['enable-api-fields'] ?? 'stable').toLowerCase();
  if (enableAPIFields !== 'alpha' && enableAPIFields !== 'stable') throw invalid('enable-api-fields', enableAPIFields);
  const pattern = data['labels-exclusion-pattern'] ?? '';
  if (typeof compilePattern(pattern) === 'string') throw invalid('labels-exclusion-pattern', pattern);
  return {
    enableAPIFields: enableAPIFields as 'alpha' | 'stable',
    /** Labels of a listener that match are not copied to its Service. Empty: all are. */
    labelsExclusionPattern: pattern,
  };
});

export type FeatureFlags = ConfigOf<typeof featureFlags>;
export const standardFlags: FeatureFlags = featureFlags.parse({});
