import type { DynamicObject, KubeObject } from '@tektite/meta';
import { resultsSystem, resultsVersion } from '@tektite/results';
import type { MadeRelease } from '@tektite/tekton-operator';
import type { OwnProgram } from './own-program.ts';
import { installedValues } from './release-values.ts';
import { type SystemRelease, systemObjects } from './system-objects.ts';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-results' };
const folder = '/var/lib/tekton-results';

/** A release of Tekton Results that this program makes: one process is API, watcher and retention policy agent. */
export function resultsRelease(program: () => OwnProgram): MadeRelease {
  const objects = () => {
    const own = program();
    const isOnMachine = Object.keys(own.folders).length > 0;
    // On one machine two processes cannot have one port.
    const release = resultsInstallation('tekton-pipelines', isOnMachine ? 18_880 : 8080);
    const started = isOnMachine ? { ...own, statusPort: own.statusPort + 4 } : own;
    return systemObjects(release, started, installedValues(own));
  };
  return { folder: 'tekton-results', version: resultsVersion, objects };
}

/** How Tekton Results is installed. Its archive is in a volume. */
export function resultsInstallation(namespace: string = 'tekton-pipelines', port: number = 8080): SystemRelease {
  const system = resultsSystem({ folder, targetPort: port, namespace });
  const info = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'tekton-results-info', namespace, labels },
    data: { version: resultsVersion },
  } as DynamicObject as KubeObject;
  return {
    system: { ...system, objects: [...(system.objects ?? []), info] },
    systemName: 'results',
    name: 'tekton-results-api',
    namespace,
    labels,
    podLabels: { app: 'tekton-results-api' },
    webhookService: 'tekton-results-webhook',
    environment: [
      { name: 'TEKTITE_RESULTS_DIR', value: folder },
      { name: 'TEKTITE_RESULTS_ADDRESS', value: `0.0.0.0:${port}` },
    ],
    data: { claim: 'tekton-results-data', mountPath: folder, size: '5Gi' },
    ports: [{ name: 'server', containerPort: port }],
  };
}
