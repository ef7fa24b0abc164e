import type { MadeRelease } from '@tektite/tekton-operator';
import { pipelines, pipelinesIn } from '../systems/pipelines.ts';
import type { OwnProgram } from './own-program.ts';
import { installedValues, type ReleaseValues } from './release-values.ts';
import { imageArguments, type SystemRelease, systemObjects } from './system-objects.ts';

const upstream = (part: string) => ({
  'app.kubernetes.io/name': part,
  'app.kubernetes.io/component': part,
  'app.kubernetes.io/instance': 'default',
  'app.kubernetes.io/part-of': 'tekton-pipelines',
});
const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-pipelines' };

/**
 * A release of Tekton Pipelines that this program makes: what upstream's release file has, with this program in the
 * place of upstream's controllers. Names are upstream's where clients refer to them.
 */
export function pipelinesRelease(program: () => OwnProgram): MadeRelease {
  return {
    folder: 'tekton-pipeline',
    version: releaseVersion(),
    objects: () => {
      const own = program();
      const values = installedValues(own);
      return systemObjects(pipelinesInstallation(values), own, values);
    },
  };
}

/** How it is installed, into one namespace. */
export function pipelinesInstallation(values: ReleaseValues, namespace: string = 'tekton-pipelines'): SystemRelease {
  return {
    system: pipelinesIn(namespace),
    systemName: 'pipelines',
    name: 'tekton-pipelines-controller',
    namespace,
    labels,
    // One process is controller and webhook here; the network policy of the webhook lets in what it needs.
    podLabels: { app: 'tekton-pipelines-webhook' },
    selector: upstream('controller'),
    processName: 'tekton-pipelines-controller',
    replaces: [
      { name: 'tekton-pipelines-webhook', namespace, selector: upstream('webhook') },
      { name: 'tekton-events-controller', namespace, selector: upstream('events') },
      {
        name: 'tekton-pipelines-remote-resolvers',
        namespace: 'tekton-pipelines-resolvers',
        selector: upstream('resolvers'),
      },
    ],
    webhookService: 'tekton-pipelines-webhook',
    election: 'config-leader-election-controller',
    args: imageArguments(values),
  };
}

/** Which Tekton this is, as the ConfigMap for tools says it. */
function releaseVersion(): string {
  const info = pipelines.objects?.find(({ metadata }) => metadata.name === 'pipelines-info');
  return (info as { readonly data?: { readonly version?: string } } | undefined)?.data?.version ?? 'v0.0.0';
}
