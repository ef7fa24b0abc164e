import type { OperatorServices } from './extension/operator-services.ts';
import type { TknProgram } from './extension/platform-services.ts';
import { kubernetesExtension, type PlatformExtension } from './extension/extension.ts';
import { openShiftExtension } from './openshift/openshift-extension.ts';
import type { OperatorEnvironment } from './platform/operator-environment.ts';
import { folderPayload } from './payload/folder-payload.ts';
import { Payload } from './payload/payload.ts';
import type { PayloadSource } from './payload/payload-source.ts';
import { platformOf } from './platform/platform.ts';

export interface TektonOperatorOptions {
  /** The operator's own version. A new one replaces what older ones installed. */
  readonly version: string;
  /** Where releases of components come from, besides the folder that `KO_DATA_PATH` names. */
  readonly payloads?: readonly PayloadSource[];
  /** Default: the variables of the process. */
  readonly environment?: OperatorEnvironment;
  /** The program that prunes runs where `IMAGE_JOB_PRUNER_TKN` names no image. */
  readonly tkn?: TknProgram;
  /** The platform extension. Default: that of `PLATFORM`. */
  readonly extension?: PlatformExtension;
}

/** The dependencies of the reconcilers, from the options. */
export function servicesOf(options: TektonOperatorOptions): OperatorServices {
  const { version, payloads = [], environment = process.env } = options;
  const platform = platformOf(environment);
  const extension = options.extension ?? (platform === 'openshift' ? openShiftExtension : kubernetesExtension);
  const folder = environment.KO_DATA_PATH;
  return {
    version,
    platform,
    environment,
    payload: new Payload([...(folder ? [folderPayload(folder)] : []), ...payloads]),
    extension,
    ...(options.tkn ? { tkn: options.tkn } : {}),
  };
}
