import type { System } from '@tektite/controller';
import type { DynamicObject } from '@tektite/meta';
import { tektonOperator } from './tekton-operator.ts';
import { asText } from '../release/template-value.ts';
import type { ReleaseValues } from '../release/release-values.ts';
import type { SystemRelease } from '../release/system-objects.ts';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-operator' };

/** How the Tekton Operator is installed. Names are upstream's, so that one can replace the other. */
export function operatorInstallation(
  version: string,
  values: ReleaseValues,
  namespace: string = 'tekton-operator',
): SystemRelease {
  const info = (name: string, data: Readonly<Record<string, string>>): DynamicObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
    data,
  });
  const system: System = {
    ...tektonOperator,
    objects: [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace, labels: { ...labels, 'operator.tekton.dev/release': version } },
      },
      info('tekton-operator-info', { version }),
    ],
  };
  return {
    system,
    systemName: 'tekton-operator',
    name: 'tekton-operator',
    namespace,
    labels,
    webhookService: 'tekton-operator-webhook',
    selector: { name: 'tekton-operator' },
    replaces: [{ name: 'tekton-operator-webhook', namespace, selector: { name: 'tekton-operator-webhook' } }],
    environment: [
      { name: 'VERSION', value: version },
      { name: 'TEKTITE_IMAGE', value: values.image },
      ...(values.entrypointImage ? [{ name: 'TEKTITE_ENTRYPOINT_IMAGE', value: values.entrypointImage }] : []),
      ...(values.shellImage ? [{ name: 'TEKTITE_SHELL_IMAGE', value: values.shellImage }] : []),
      { name: 'AUTOINSTALL_COMPONENTS', value: asText(values.autoInstall?.enabled ?? false) },
      { name: 'DEFAULT_TARGET_NAMESPACE', value: values.autoInstall?.namespace ?? 'tekton-pipelines' },
    ],
  };
}
