import type { MadeRelease } from '@tektite/tekton-operator';
import { triggersVersion } from '@tektite/triggers';
import { triggersIn } from '../systems/triggers.ts';
import type { OwnProgram } from './own-program.ts';
import { installedValues } from './release-values.ts';
import { type SystemRelease, systemObjects } from './system-objects.ts';

const upstream = (part: string, component = part) => ({
  'app.kubernetes.io/name': part,
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/instance': 'default',
  'app.kubernetes.io/part-of': 'tekton-triggers',
});
const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-triggers' };

/** A release of Tekton Triggers that this program makes. Names are upstream's where clients refer to them. */
export function triggersRelease(program: () => OwnProgram): MadeRelease {
  const objects = () => {
    const own = program();
    const isOnMachine = Object.keys(own.folders).length > 0;
    // On one machine two processes cannot have one port.
    const { statusPort, webhookPort } = own;
    const ports = isOnMachine ? { statusPort: statusPort + 2, webhookPort: webhookPort + 1 } : {};
    return systemObjects(triggersInstallation(), { ...own, ...ports }, installedValues(own));
  };
  return { folder: 'tekton-trigger', version: triggersVersion, objects };
}

/** How it is installed, into the namespace of Pipelines. */
export function triggersInstallation(namespace: string = 'tekton-pipelines'): SystemRelease {
  return {
    system: triggersIn(namespace),
    systemName: 'triggers',
    name: 'tekton-triggers-controller',
    namespace,
    labels,
    // One process is controller and webhook here; the network policy of the webhook lets in what it needs.
    podLabels: { app: 'tekton-triggers-webhook' },
    webhookService: 'tekton-triggers-webhook',
    selector: upstream('controller'),
    replaces: [
      { name: 'tekton-triggers-webhook', namespace, selector: upstream('webhook') },
      {
        name: 'tekton-triggers-core-interceptors',
        namespace,
        selector: upstream('core-interceptors', 'interceptors'),
      },
    ],
    hasPodAddress: true,
  };
}
