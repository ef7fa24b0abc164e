import type { DynamicObject } from '@tektite/meta';
import { proxyWebhook } from '../systems/proxy-webhook.ts';
import type { OwnProgram } from './own-program.ts';
import { installedValues } from './release-values.ts';
import { systemObjects } from './system-objects.ts';

/** Upstream's name: that of the Service, and of the label that the network policy selects. */
const webhookService = 'tekton-operator-proxy-webhook';

/**
 * The webhook that gives Pods of runs a proxy, in the namespace of Pipelines. The operator writes its own proxy into the Deployment,
 * as into all others.
 */
export function proxyWebhookObjects(program: OwnProgram): readonly DynamicObject[] {
  const isOnMachine = Object.keys(program.folders).length > 0;
  const { statusPort, webhookPort } = program;
  // On one machine two processes cannot have one port.
  const ports = isOnMachine ? { statusPort: statusPort + 5, webhookPort: webhookPort + 2 } : {};
  return systemObjects(
    {
      system: proxyWebhook,
      systemName: 'proxy-webhook',
      name: 'tekton-operator-proxy',
      namespace: 'tekton-pipelines',
      labels: { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-operator' },
      podLabels: { name: webhookService, app: 'tekton-operator' },
      webhookService,
    },
    { ...program, ...ports },
    installedValues(program),
  );
}
