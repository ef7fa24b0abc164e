import type { System } from '@tektite/controller';
import { componentControllers } from './components/all-components.ts';
import type { OperatorServices, TknProgram } from './component/operator-services.ts';
import { autoInstall } from './config/auto-install.ts';
import { hasApi } from './component/has-api.ts';
import { configController } from './config/config-controller.ts';
import { kubernetesExtension, type PlatformExtension } from './extension/extension.ts';
import { openShiftExtension } from './extension/openshift/openshift-extension.ts';
import { installerSetController } from './installer-set/installer-set-controller.ts';
import { allKinds } from './kinds/all-kinds.ts';
import type { OperatorEnvironment } from './operator-environment.ts';
import { folderPayload } from './payload/folder-payload.ts';
import { Payload } from './payload/payload.ts';
import type { PayloadSource } from './payload/payload-source.ts';
import { platformOf } from './platform.ts';
import { operatorWebhooks } from './webhooks/operator-webhooks.ts';

export interface TektonOperatorOptions {
  /** The operator's own version. A new one replaces what older ones installed. */
  readonly version: string;
  /** Where releases of components come from, besides the folder that `KO_DATA_PATH` names. */
  readonly payloads?: readonly PayloadSource[];
  /** Default: the variables of the process. */
  readonly environment?: OperatorEnvironment;
  /** What prunes runs where `IMAGE_JOB_PRUNER_TKN` names no image. */
  readonly tkn?: TknProgram;
  /** What the platform adds. Default: that of `PLATFORM`. */
  readonly extension?: PlatformExtension;
}

/**
 * The Tekton Operator as a system: one TektonConfig installs Tekton and keeps it.
 *
 * @example
 * await startSystems([tektonOperatorSystem({ version: '0.81.1', payloads: [folderPayload('/payload')] })], { client });
 */
export function tektonOperatorSystem(options: TektonOperatorOptions): System {
  const { version, payloads = [], environment = process.env } = options;
  const platform = platformOf(environment);
  const extension = options.extension ?? (platform === 'openshift' ? openShiftExtension : kubernetesExtension);
  const folder = environment.KO_DATA_PATH;
  const services: OperatorServices = {
    version,
    platform,
    environment,
    payload: new Payload([...(folder ? [folderPayload(folder)] : []), ...payloads]),
    extension,
    ...(options.tkn ? { tkn: options.tkn } : {}),
  };
  const others = [configController(services), ...componentControllers(services)];
  const controllers = [...others, installerSetController(environment)];
  const webhooks = operatorWebhooks(services.platform);
  return {
    name: 'tekton-operator',
    kinds: allKinds,
    controllers,
    webhooks,
    // It installs what releases say, with the rights that releases hand out: whoever hands out rights has to have them.
    permissions: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
    async configure({ client, log }) {
      const stopping = new AbortController();
      // Old servers have them in another version, which nobody asks for any more.
      const hasAutoscalers = await hasApi(client, 'autoscaling/v2');
      const installed = autoInstall(client, services, log, stopping.signal);
      const stop = async () => {
        stopping.abort();
        await installed;
      };
      const own = [...others, installerSetController(environment, { hasAutoscalers })];
      return { system: { controllers: own, webhooks }, stop };
    },
  };
}
