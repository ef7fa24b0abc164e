import { chainsVersion } from '@tektite/chains';
import type { KubeObject } from '@tektite/meta';
import type { MadeRelease } from '@tektite/tekton-operator';
import { chainsIn } from '../systems/chains.ts';
import type { OwnProgram } from './own-program.ts';
import { installedValues } from './release-values.ts';
import { type SystemRelease, systemObjects } from './system-objects.ts';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-chains' };

/**
 * A release of Tekton Chains that this program makes. Names are upstream's where clients refer to them. Its Secret of keys is empty, as
 * upstream's. The operator fills it if the TektonConfig says so, and otherwise the process, so that runs are signed from the first one on.
 */
export function chainsRelease(program: () => OwnProgram): MadeRelease {
  const objects = () => {
    const namespace = 'tekton-pipelines';
    const own = program();
    const isOnMachine = Object.keys(own.folders).length > 0;
    const installation = chainsInstallation(namespace);
    const { system } = installation;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'signing-secrets', namespace, labels } };
    return systemObjects(
      {
        ...installation,
        system: { ...system, objects: [...(system.objects ?? []), secret as KubeObject] },
      },
      // On one machine two processes cannot have one port.
      isOnMachine ? { ...own, statusPort: own.statusPort + 3 } : own,
      installedValues(own),
    );
  };
  return { folder: 'tekton-chains', version: chainsVersion, objects };
}

/** How Tekton Chains is installed, into one namespace. */
export function chainsInstallation(namespace: string = 'tekton-chains'): SystemRelease {
  return {
    system: chainsIn(namespace),
    systemName: 'chains',
    name: 'tekton-chains-controller',
    namespace,
    labels,
    webhookService: 'tekton-chains-webhook',
    // As upstream's, so that its Deployment can be applied over this one, and this one over it.
    selector: {
      'app.kubernetes.io/name': 'controller',
      'app.kubernetes.io/component': 'controller',
      ...labels,
    },
  };
}
