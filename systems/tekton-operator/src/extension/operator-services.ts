import type { PlatformExtension } from './extension.ts';
import type { PlatformServices } from './platform-services.ts';

/** The dependencies of all reconcilers of the operator. */
export interface OperatorServices extends PlatformServices {
  readonly extension: PlatformExtension;
}
