import type { System } from '@tektite/controller';
import { componentControllers } from './controllers/component/all-controllers.ts';
import { hubController } from './controllers/hub/controller.ts';
import { autoInstall } from './controllers/tekton-config/auto-install.ts';
import { hasApi } from './component/has-api.ts';
import { configController } from './controllers/tekton-config/controller.ts';
import { installerSetController } from './controllers/installer-set/controller.ts';
import { allKinds } from './kinds/all-kinds.ts';
import { TektonHub } from './kinds/tekton-hub.ts';
import { operatorPermissions } from './operator-permissions.ts';
import type { OperatorServices } from './extension/operator-services.ts';
import { servicesOf, type TektonOperatorOptions } from './operator-options.ts';
import { operatorWebhooks } from './webhooks/operator-webhooks.ts';

/**
 * The Tekton Operator as a system: one TektonConfig installs Tekton and keeps it.
 *
 * @example
 * await startSystems([tektonOperatorSystem({ version: '0.81.1', payloads: [folderPayload('/payload')] })], { client });
 */
export function tektonOperatorSystem(options: TektonOperatorOptions): System {
  const services = servicesOf(options);
  const { environment } = services;
  const controllersFor = (live: OperatorServices, options?: { readonly hasAutoscalers: boolean }) => [
    configController(live),
    ...componentControllers(live),
    hubController(),
    installerSetController(environment, options),
  ];
  const webhooks = operatorWebhooks(services.platform);
  return {
    name: 'tekton-operator',
    kinds: [...allKinds, TektonHub],
    controllers: controllersFor(services),
    webhooks,
    permissions: operatorPermissions,
    async configure({ client, log }) {
      const stopping = new AbortController();
      // Old servers have them in another version, which is not used.
      const hasAutoscalers = await hasApi(client, 'autoscaling/v2');
      const installed = autoInstall(client, services, log, stopping.signal);
      const stop = async () => {
        stopping.abort();
        await installed;
      };
      const extension = (await services.extension.forServer?.(client)) ?? services.extension;
      const controllers = controllersFor({ ...services, extension }, { hasAutoscalers });
      return { system: { controllers, webhooks }, stop };
    },
  };
}
