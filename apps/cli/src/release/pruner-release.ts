import type { DynamicObject } from '@tektite/meta';
import type { MadeRelease } from '@tektite/tekton-operator';
import { pruner } from '../systems/pruner.ts';
import type { OwnProgram } from './own-program.ts';
import { installedValues } from './release-values.ts';
import { systemObjects } from './system-objects.ts';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-pruner' };

/** A release of the pruner of runs that this program makes: it takes the settings that upstream's takes. */
export function prunerRelease(program: () => OwnProgram): MadeRelease {
  return { folder: 'pruner', version: 'v0.4.1', objects: () => prunerObjects(program()) };
}

function prunerObjects(program: OwnProgram): readonly DynamicObject[] {
  return systemObjects(
    {
      system: pruner,
      systemName: 'pruner',
      name: 'tekton-pruner-controller',
      namespace: 'tekton-pipelines',
      labels,
      podLabels: { app: 'tekton-pruner-controller' },
      webhookService: 'tekton-pruner-webhook',
    },
    // On one machine two processes cannot have one port.
    { ...program, statusPort: program.statusPort + 1 },
    installedValues(program),
  );
}
