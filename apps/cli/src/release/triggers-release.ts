import type { DynamicObject } from '@tektite/meta';
import type { MadeRelease } from '@tektite/tekton-operator';
import { triggersVersion } from '@tektite/triggers';
import { triggers } from '../systems/triggers.ts';
import type { OwnProgram } from './own-program.ts';
import { systemObjects } from './system-objects.ts';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-triggers' };

/** A release of Tekton Triggers that this program makes. Names are upstream's where clients refer to them. */
export function triggersRelease(program: () => OwnProgram): MadeRelease {
  return { folder: 'tekton-trigger', version: triggersVersion, objects: () => triggersObjects(program()) };
}

/** The objects of that release. */
export function triggersObjects(program: OwnProgram): readonly DynamicObject[] {
  const isOnMachine = Object.keys(program.folders).length > 0;
  return systemObjects(
    {
      system: triggers,
      systemName: 'triggers',
      name: 'tekton-triggers-controller',
      namespace: 'tekton-pipelines',
      labels,
      // One process is controller and webhook here; the network policy of the webhook lets in what it needs.
      podLabels: { app: 'tekton-triggers-webhook' },
      webhookService: 'tekton-triggers-webhook',
      hasPodAddress: true,
    },
    // On one machine two processes cannot have one port.
    {
      ...program,
      statusPort: program.statusPort + 2,
      webhookPort: isOnMachine ? program.webhookPort + 1 : program.webhookPort,
    },
  );
}
