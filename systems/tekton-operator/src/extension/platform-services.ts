import type { OperatorEnvironment } from '../platform/operator-environment.ts';
import type { Payload } from '../payload/payload.ts';
import type { Platform } from '../platform/platform.ts';

/** The dependencies of the operator's reconcilers that platforms use, too. */
export interface PlatformServices {
  /** Decides about upgrades: sets of another version are replaced. */
  readonly version: string;
  readonly platform: Platform;
  readonly environment: OperatorEnvironment;
  readonly payload: Payload;
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
