import type { System } from '@tektite/controller';
import type { DynamicObject } from '@tektite/meta';
import { tektonOperator } from './tekton-operator.ts';
import type { OwnProgram } from '../release/own-program.ts';
import { systemObjects } from '../release/system-objects.ts';

export interface OperatorReleaseOptions {
  readonly namespace: string;
  /** The operator creates a TektonConfig for this namespace. */
  readonly autoInstall?: string;
}

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-operator' };

/** The objects that run the Tekton Operator on a cluster. Names are upstream's, so that one can replace the other. */
export function operatorObjects(
  version: string,
  program: OwnProgram,
  { namespace, autoInstall }: OperatorReleaseOptions,
): readonly DynamicObject[] {
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
  return systemObjects(
    {
      system,
      systemName: 'tekton-operator',
      name: 'tekton-operator',
      namespace,
      labels,
      webhookService: 'tekton-operator-webhook',
      environment: [
        { name: 'VERSION', value: version },
        { name: 'TEKTITE_IMAGE', value: program.image },
        ...(autoInstall
          ? [
              { name: 'AUTOINSTALL_COMPONENTS', value: 'true' },
              { name: 'DEFAULT_TARGET_NAMESPACE', value: autoInstall },
            ]
          : []),
      ],
    },
    program,
  );
}
