import { knativeConditionSet } from '@tektite/meta';

/** The conditions of a TektonConfig. */
export const configConditions = knativeConditionSet('Ready', [
  'PreInstall',
  'ComponentsReady',
  'PostInstall',
  'PreUpgrade',
  'PostUpgrade',
]);

export const preUpgradeVersion = 'operator.tekton.dev/pre-upgrade-version';
export const postUpgradeVersion = 'operator.tekton.dev/post-upgrade-version';
