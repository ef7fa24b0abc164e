import { byohIn } from '../systems/byoh.ts';
import type { SystemRelease } from './system-objects.ts';

/** How bring your own host is installed, into one namespace: manager and installer in one process. */
export function byohInstallation(namespace: string = 'byoh-system'): SystemRelease {
  return {
    system: byohIn(namespace),
    systemName: 'byoh',
    name: 'byoh-controller-manager',
    namespace,
    labels: { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'byoh' },
    webhookService: 'byoh-webhook-service',
  };
}
