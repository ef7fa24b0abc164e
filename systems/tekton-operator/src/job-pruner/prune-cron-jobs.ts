import { canonicalHash } from '@tektite/manifest';
import { controllerReference, type KubeObject } from '@tektite/meta';
import type { CronJob } from '@tektite/schema/kubernetes';
import type { TknProgram } from '../extension/platform-services.ts';
import { keys } from '../installer-set/set-keys.ts';
import type { PrunerSettings } from '../kinds/pruner-fields.ts';
import type { Scheduling } from '../kinds/shared-fields.ts';
import type { Platform } from '../platform/platform.ts';
import { type PruneConfig, pruneList } from './prune-config.ts';
import { pruneScript } from './prune-script.ts';

/** Every CronJob that prunes has it. */
export const prunerLabel = 'tektonconfig.operator.tekton.dev/pruner';

export interface PruneJobOptions {
  readonly owner: KubeObject;
  readonly namespace: string;
  readonly image: string;
  /** Another program in the place of tkn. */
  readonly program?: Omit<TknProgram, 'image'>;
  readonly settings: PrunerSettings;
  readonly scheduling: Scheduling;
  readonly platform: Platform;
}

/** The CronJob of one schedule. */
export function pruneCronJob(schedule: string, configs: readonly PruneConfig[], options: PruneJobOptions): CronJob {
  const { owner, namespace, image, program, settings, scheduling, platform } = options;
  const { startingDeadlineSeconds } = settings;
  const user = platform === 'openshift' ? {} : { runAsUser: 65_532, fsGroup: 65_532 };
  const volumes = Object.entries(program?.folders ?? {}).map(([mountPath, path], index) => ({
    name: `program-${index}`,
    mountPath,
    path,
  }));
  const hash = canonicalHash({
    configs,
    image,
    program,
    startingDeadlineSeconds,
    scheduling,
    platform,
    script: pruneScript,
  });
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      generateName: 'tekton-resource-pruner-',
      namespace,
      labels: { [keys.createdBy]: 'tektoncd-pruner', [prunerLabel]: 'true' },
      annotations: { [keys.lastAppliedHash]: hash },
      ownerReferences: [controllerReference(owner)],
    },
    spec: {
      schedule,
      concurrencyPolicy: 'Forbid',
      failedJobsHistoryLimit: 2,
      successfulJobsHistoryLimit: 2,
      ...(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }),
      jobTemplate: {
        spec: {
          ttlSecondsAfterFinished: 3600,
          backoffLimit: 1,
          template: {
            spec: {
              restartPolicy: 'Never',
              serviceAccountName: 'tekton-resource-pruner',
              ...(scheduling.nodeSelector ? { nodeSelector: scheduling.nodeSelector } : {}),
              ...(scheduling.tolerations ? { tolerations: scheduling.tolerations } : {}),
              ...(scheduling.priorityClassName ? { priorityClassName: scheduling.priorityClassName } : {}),
              securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' }, ...user },
              ...(volumes.length > 0
                ? { volumes: volumes.map(({ name, path }) => ({ name, hostPath: { path, type: 'Directory' } })) }
                : {}),
              containers: [
                {
                  name: 'tkn-pruner',
                  image,
                  command: ['/bin/sh', '-c', pruneScript],
                  args: ['-s', pruneList(configs)],
                  ...(program ? { env: [{ name: 'TKN', value: program.program }] } : {}),
                  ...(volumes.length > 0
                    ? { volumeMounts: volumes.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })) }
                    : {}),
                  terminationMessagePolicy: 'FallbackToLogsOnError',
                  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
                },
              ],
            },
          },
        },
      },
    },
  };
}

/** The changes towards exactly the desired CronJobs, which are identified by their hashes. */
export function decideCronJobs(
  live: readonly CronJob[],
  wanted: readonly CronJob[],
): { readonly create: readonly CronJob[]; readonly remove: readonly CronJob[] } {
  const left = new Map(wanted.map((job) => [job.metadata.annotations?.[keys.lastAppliedHash], job]));
  const remove = live.filter(({ metadata }) => {
    const hash = metadata.annotations?.[keys.lastAppliedHash];
    return hash === undefined || !left.delete(hash);
  });
  return { create: [...left.values()], remove };
}
