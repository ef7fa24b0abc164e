import type { ConfigDefaults } from './config-defaults.ts';
import type { FeatureFlags } from './feature-flags.ts';
import type { WaitBackoff } from './wait-backoff-config.ts';

/** The settings in force. Read on each use: an operator may edit the ConfigMaps at any time. */
export interface CurrentSettings {
  readonly flags: () => FeatureFlags;
  readonly defaults: () => ConfigDefaults;
  /** Default: as without the ConfigMap. */
  readonly waitBackoff?: () => WaitBackoff;
}
