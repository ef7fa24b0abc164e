import type { OwnProgram } from './own-program.ts';
import type { ReleaseValues } from './release-values.ts';
import { unlessEmpty } from './template-value.ts';

/** A container of this program, without what all have. */
export interface ProgramContainer {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: readonly object[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  /** Paths that answer once requests can be served, and as long as the process works. */
  readonly ready: string;
  readonly live: string;
  readonly probePort: number;
  /** A claim for what its process keeps. */
  readonly data?: { readonly claim: string; readonly mountPath: string };
}

/** The user of the image. */
const user = 65_532;
const temporary = 'tmp';

/**
 * A Pod of this program, as the profile `restricted` of Pod security wants it: no root, no rights, nothing to write but `/tmp`. Replicas go
 * to different nodes where there are several.
 */
export function podTemplate(
  container: ProgramContainer,
  program: Pick<OwnProgram, 'command' | 'folders'>,
  values: ReleaseValues,
  { labels, selector }: { readonly labels: object; readonly selector: object },
): object {
  const folders = Object.entries(program.folders).map(([mountPath, path], index) => ({
    name: `program-${index}`,
    mountPath,
    path,
  }));
  const { data } = container;
  const probe = (path: string) => ({
    httpGet: { path, port: container.probePort },
    periodSeconds: 5,
    timeoutSeconds: 5,
  });
  return {
    metadata: { labels },
    spec: {
      serviceAccountName: container.name,
      ...unlessEmpty('imagePullSecrets', values.imagePullSecrets),
      ...unlessEmpty('priorityClassName', values.priorityClassName),
      ...unlessEmpty('nodeSelector', values.nodeSelector),
      ...unlessEmpty('tolerations', values.tolerations),
      ...unlessEmpty('affinity', values.affinity),
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: selector },
        },
      ],
      securityContext: {
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
        seccompProfile: { type: 'RuntimeDefault' },
        ...(data ? { fsGroup: user } : {}),
      },
      volumes: [
        { name: temporary, emptyDir: {} },
        ...folders.map(({ name, path }) => ({ name, hostPath: { path, type: 'Directory' } })),
        ...(data ? [{ name: 'data', persistentVolumeClaim: { claimName: data.claim } }] : []),
      ],
      containers: [
        {
          name: container.name,
          image: values.image,
          imagePullPolicy: values.imagePullPolicy,
          command: program.command,
          args: container.args,
          ...(container.env ? { env: container.env } : {}),
          ...unlessEmpty('envFrom', values.envFrom),
          ports: container.ports,
          // A start waits for caches, which take a while on a large cluster.
          startupProbe: { ...probe(container.live), failureThreshold: 60 },
          readinessProbe: probe(container.ready),
          livenessProbe: { ...probe(container.live), failureThreshold: 6 },
          volumeMounts: [
            { name: temporary, mountPath: '/tmp' },
            ...folders.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
            ...(data ? [{ name: 'data', mountPath: data.mountPath }] : []),
          ],
          resources: values.resources,
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    },
  };
}
