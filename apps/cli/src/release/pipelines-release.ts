import type { DynamicObject } from '@tektite/meta';
import type { MadeRelease } from '@tektite/tekton-operator';
import { pipelines } from '../systems/pipelines.ts';
import type { OwnProgram } from './own-program.ts';
import { systemObjects } from './system-objects.ts';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-pipelines' };

/**
 * A release of Tekton Pipelines that this program makes: what upstream's release file has, with this program in the
 * place of upstream's controllers. Names are upstream's where clients refer to them.
 */
export function pipelinesRelease(program: () => OwnProgram): MadeRelease {
  return { folder: 'tekton-pipeline', version: releaseVersion(), objects: () => pipelinesObjects(program()) };
}

/** The objects of that release. */
export function pipelinesObjects(program: OwnProgram): readonly DynamicObject[] {
  return systemObjects(
    {
      system: pipelines,
      systemName: 'pipelines',
      name: 'tekton-pipelines-controller',
      namespace: 'tekton-pipelines',
      labels,
      // One process is controller and webhook here; the network policy of the webhook lets in what it needs.
      podLabels: { app: 'tekton-pipelines-webhook' },
      webhookService: 'tekton-pipelines-webhook',
    },
    program,
  );
}

/** Which Tekton this is, as the ConfigMap for tools says it. */
function releaseVersion(): string {
  const info = pipelines.objects?.find(({ metadata }) => metadata.name === 'pipelines-info');
  return (info as { readonly data?: { readonly version?: string } } | undefined)?.data?.version ?? 'v0.0.0';
}
