import type { DynamicObject } from '@tektite/meta';
import { resultsSystem, resultsVersion } from '@tektite/results';
import type { MadeRelease } from '@tektite/tekton-operator';
import type { OwnProgram } from './own-program.ts';
import { systemObjects } from './system-objects.ts';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-results' };
const folder = '/var/lib/tekton-results';

/** A release of Tekton Results that this program makes: one process is API, watcher and retention policy agent. */
export function resultsRelease(program: () => OwnProgram): MadeRelease {
  return { folder: 'tekton-results', version: resultsVersion, objects: () => resultsObjects(program()) };
}

/** The objects of that release. */
export function resultsObjects(program: OwnProgram): readonly DynamicObject[] {
  const isOnMachine = Object.keys(program.folders).length > 0;
  // On one machine two processes cannot have one port.
  const port = isOnMachine ? 18_880 : 8080;
  const info = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'tekton-results-info', namespace: 'tekton-pipelines', labels },
    data: { version: resultsVersion },
  };
  const objects = systemObjects(
    {
      system: resultsSystem({ folder, targetPort: port }),
      systemName: 'results',
      name: 'tekton-results-api',
      namespace: 'tekton-pipelines',
      labels,
      podLabels: { app: 'tekton-results-api' },
      webhookService: 'tekton-results-webhook',
      environment: [
        { name: 'TEKTITE_RESULTS_DIR', value: folder },
        { name: 'TEKTITE_RESULTS_ADDRESS', value: `0.0.0.0:${port}` },
      ],
      data: { claim: 'tekton-results-data', mountPath: folder, size: '5Gi' },
      ports: [{ name: 'server', containerPort: port }],
    },
    { ...program, statusPort: program.statusPort + 3 },
  );
  return [...objects, info];
}
