import { chainsSystem, chainsVersion } from '@tektite/chains';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import type { MadeRelease } from '@tektite/tekton-operator';
import type { OwnProgram } from './own-program.ts';
import { systemObjects } from './system-objects.ts';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-chains' };

/** A release of Tekton Chains that this program makes. Names are upstream's where clients refer to them. */
export function chainsRelease(program: () => OwnProgram): MadeRelease {
  return {
    folder: 'tekton-chains',
    version: chainsVersion,
    objects: () => chainsObjects(program(), { namespace: 'tekton-pipelines' }),
  };
}

/** The objects of that release. Keys are the user's: the Secret is there, and is empty until someone fills it. */
export function chainsObjects(
  program: OwnProgram,
  { namespace }: { readonly namespace: string },
): readonly DynamicObject[] {
  const system = chainsSystem({ namespace });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'signing-secrets', namespace, labels } };
  const isOnMachine = Object.keys(program.folders).length > 0;
  return systemObjects(
    {
      system: { ...system, objects: [...(system.objects ?? []), secret as KubeObject] },
      systemName: 'chains',
      name: 'tekton-chains-controller',
      namespace,
      labels,
      webhookService: 'tekton-chains-webhook',
    },
    // On one machine two processes cannot have one port.
    isOnMachine ? { ...program, statusPort: program.statusPort + 3 } : program,
  );
}
