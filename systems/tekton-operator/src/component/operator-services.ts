import type { OperatorEnvironment } from '../operator-environment.ts';
import type { Payload } from '../payload/payload.ts';
import type { Platform } from '../platform.ts';
import type { PlatformExtension } from '../extension/extension.ts';

/** The dependencies of all reconcilers of the operator. */
export interface OperatorServices {
  /** Decides about upgrades: sets of another version are replaced. */
  readonly version: string;
  readonly platform: Platform;
  readonly environment: OperatorEnvironment;
  readonly payload: Payload;
  readonly extension: PlatformExtension;
  readonly tkn?: TknProgram;
}

/** The program of pruning Jobs in the place of tkn, where there is no image with it. */
export interface TknProgram {
  readonly image: string;
  /** The words that it is called by. */
  readonly program: string;
  /** Folders of the node that have it, by where they are in the container. */
  readonly folders: Readonly<Record<string, string>>;
}
