import { Manifest } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';

/**
 * The templates of PipelineRuns that Pipelines as Code offers to people who begin a repository: each a ConfigMap with its text, in one
 * namespace. Other objects, the rights to read them, go there as they are.
 */
export function pipelineRunTemplates(templates: Manifest, namespace: string): Manifest {
  const objects = templates.objects.map((object): DynamicObject => {
    const { name = '' } = object.metadata;
    if (object.kind !== 'PipelineRun') return { ...object, metadata: { ...object.metadata, namespace } };
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `pipelines-as-code-${name}`,
        namespace,
        labels: {
          'app.kubernetes.io/part-of': 'pipelines-as-code',
          'pipelinesascode.openshift.io/runtime': name.replace(/^pipelinerun-/, ''),
        },
      },
      data: { template: formatYaml(sorted(object)) },
    } as DynamicObject;
  });
  return Manifest.of(objects, 'pipelines-as-code-templates');
}

/** Keys in the order that Go prints maps in. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
