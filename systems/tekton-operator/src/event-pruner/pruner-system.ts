import type { System } from '@tektite/controller';
import { runPrunerController } from './run-pruner-controller.ts';

/**
 * The pruner that follows runs: what TektonPruner installs. It deletes runs some time after their end, or when there are too many, by
 * the rules of its ConfigMaps.
 */
export function prunerSystem({ namespace = 'tekton-pipelines' }: { readonly namespace?: string } = {}): System {
  const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-pruner' };
  const configMap = (name: string, data: Readonly<Record<string, string>>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
    data,
  });
  return {
    name: 'pruner',
    kinds: [],
    controllers: [runPrunerController('PipelineRun', namespace), runPrunerController('TaskRun', namespace)],
    objects: [
      configMap('pruner-info', { version: 'v0.4.1' }),
      configMap('tekton-pruner-default-spec', { 'global-config': 'enforcedConfigLevel: global\nhistoryLimit: 100\n' }),
    ],
    permissions: [{ apiGroups: ['tekton.dev'], resources: ['pipelineruns', 'taskruns'], verbs: ['delete', 'patch'] }],
  };
}
