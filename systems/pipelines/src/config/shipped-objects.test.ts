import { expect, it } from 'vitest';
import { configDefaults, standardDefaults } from './config-defaults.ts';
import { defaultFeatureFlags, featureFlags } from './feature-flags.ts';
import { shippedObjects } from './shipped-objects.ts';

function dataOf(name: string): Record<string, string> {
  const found = shippedObjects('somewhere').find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name,
  );
  return (found as unknown as { data: Record<string, string> }).data;
}

it('ships settings that are what holds without them', () => {
  expect(featureFlags.parse(dataOf('feature-flags'))).toEqual(defaultFeatureFlags);
  expect(configDefaults.parse(dataOf('config-defaults'))).toEqual(standardDefaults);
});
