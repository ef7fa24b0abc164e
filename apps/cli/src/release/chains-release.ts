import type { DynamicObject } from '@tektite/meta';
import type { MadeRelease } from '@tektite/tekton-operator';
import { chains } from '../systems/chains.ts';
import type { OwnProgram } from './own-program.ts';
import { systemObjects } from './system-objects.ts';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-chains' };

/** The release that this system is compatible with. */
const version = 'v0.29.2';

/** A release of Tekton Chains that this program makes. Its process makes the key where there is none. */
export function chainsRelease(program: () => OwnProgram): MadeRelease {
  return { folder: 'tekton-chains', version, objects: () => chainsObjects(program()) };
}

function chainsObjects(program: OwnProgram): readonly DynamicObject[] {
  const info = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'chains-info', namespace: 'tekton-chains', labels },
    data: { version: version },
  };
  const objects = systemObjects(
    {
      system: chains,
      systemName: 'chains',
      name: 'tekton-chains-controller',
      namespace: 'tekton-chains',
      labels,
      podLabels: { app: 'tekton-chains-controller' },
      webhookService: 'tekton-chains-webhook',
    },
    // On one machine two processes cannot have one port.
    { ...program, statusPort: program.statusPort + 4 },
  );
  return [...objects, info];
}
