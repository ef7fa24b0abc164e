import type { OperatorEnvironment } from '../operator-environment.ts';
import type { Payload } from '../payload/payload.ts';
import type { Platform } from '../platform.ts';
import type { PlatformExtension } from '../extension/extension.ts';

/** What all reconcilers of the operator work with. */
export interface OperatorServices {
  /** Decides about upgrades: sets of another version are replaced. */
  readonly version: string;
  readonly platform: Platform;
  readonly environment: OperatorEnvironment;
  readonly payload: Payload;
  readonly extension: PlatformExtension;
}
