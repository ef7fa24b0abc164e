import { chainsIn } from '../systems/chains.ts';
import type { SystemRelease } from './system-objects.ts';

/** How Tekton Chains is installed, into one namespace. */
export function chainsInstallation(namespace: string = 'tekton-chains'): SystemRelease {
  return {
    system: chainsIn(namespace),
    systemName: 'chains',
    name: 'tekton-chains-controller',
    namespace,
    labels: { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-chains' },
    webhookService: 'tekton-chains-webhook',
  };
}
