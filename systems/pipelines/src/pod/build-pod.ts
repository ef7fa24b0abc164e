import { childName, controllerReference, parseGoDuration, type Random } from '@tektite/meta';
import type { Container, Pod, PodSpec, Volume, VolumeMount } from '@tektite/schema/kubernetes';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { PodTemplate } from '../kinds/pod-template.ts';
import type { TaskSpec } from '../kinds/task-spec.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { paramReplacements } from '../substitution/param-replacements.ts';
import { replaceInTask } from '../substitution/replace-in-task.ts';
import { stringReplacements } from '../substitution/replacements.ts';
import { replaceEverywhere } from '../substitution/replace-everywhere.ts';
import { affinityAssistantAnnotation, withAffinityAssistant } from './affinity.ts';
import { applyComputeResources } from './compute-resources.ts';
import { stepContainer as stepContainerName } from './container-names.ts';
import { ownSecurityContext, prepareContainer, workingDirContainer } from './init-containers.ts';
import {
  binVolume,
  credsVolume,
  downwardVolume,
  implicitVolumes,
  paths,
  runVolume,
  scriptsVolume,
} from './internal-volumes.ts';
import { mergeStepTemplate } from './merge-step-template.ts';
import { placeScripts } from './place-scripts.ts';
import type { PodImages } from './pod-images.ts';
import { needsResultsSidecar, resultsContainer, userSidecar } from './sidecar-containers.ts';
import { stepContainer } from './step-container.ts';

/** What Secrets of the service account give to the steps. */
export interface PodCredentials {
  /** For the entrypoint. */
  readonly flags: readonly string[];
  readonly volumes: readonly Volume[];
  readonly mounts: readonly VolumeMount[];
}

export interface PodOptions {
  readonly flags: FeatureFlags;
  readonly images: PodImages;
  readonly credentials: PodCredentials;
  readonly random: Random;
  /** `pipeline.tekton.dev/release` of the controller. */
  readonly release: string;
  readonly managedBy: string;
  readonly sidecarLogPollingInterval: string;
  readonly forbiddenEnv: readonly string[];
}

const noCredentials: PodCredentials = { flags: [], volumes: [], mounts: [] };
/** One and a half times the time of the run: the controller ends it before, unless it is gone itself. */
const deadlineFactor = 1.5;
const noDeadline = 2_147_483_647;

/** The Pod of a TaskRun. The Task has everything replaced and its workspaces applied. */
export function buildPod(taskRun: TaskRun, given: TaskSpec, options: PodOptions): Pod {
  const { flags, images } = options;
  const credentials = flags.disableCredsInit ? noCredentials : options.credentials;
  const task = replaceInTask(given, stringReplacements([['credentials.path', paths.creds]]));
  const merged = (task.steps ?? []).map((step) => mergeStepTemplate(task.stepTemplate, step));
  const whole = applyComputeResources({ ...task, steps: merged }, taskRun.spec);
  const { steps = [], sidecars = [] } = whole;
  const names = steps.map(({ name }, index) => stepContainerName(name, index));
  const scripts = placeScripts(steps, sidecars, images.shell, options.random);
  const withResultsSidecar = needsResultsSidecar(whole, flags);
  const waitsForReady = !isReadyAtOnce(sidecars.length + (withResultsSidecar ? 1 : 0), flags);
  const breakpoints = breakpointsOf(taskRun);
  const params = paramReplacements(task.params ?? [], taskRun.spec.params ?? [], 'task');
  const template = replaceEverywhere(taskRun.spec.podTemplate ?? {}, params);

  const stepContainers = steps.map((step, index) =>
    withTemplateEnv(
      stepContainer(whole, step, index, names[index] ?? '', {
        flags,
        waitsForReady,
        credentials: credentials.flags,
        breakpoints,
        script: scripts.steps[index],
        secretMounts: credentials.mounts,
      }),
      template,
      options.forbiddenEnv,
    ),
  );
  const own = ownSecurityContext(flags);
  const secured = (container: Container): Container => (own ? { ...container, securityContext: own } : container);
  const workingDirs = workingDirContainer(images, steps);
  const initContainers = [
    prepareContainer(images, names),
    ...(scripts.container ? [scripts.container] : []),
    ...(workingDirs ? [workingDirs] : []),
  ].map(secured);
  const sidecarContainers = [
    ...(withResultsSidecar ? [secured(resultsContainer(whole, images, flags, options.sidecarLogPollingInterval))] : []),
    ...sidecars.map((sidecar, index) => userSidecar(sidecar, scripts.sidecars[index])),
  ];
  const native = flags.enableKubernetesSidecar;
  const nativeSidecars = sidecarContainers.map((container) => ({ ...container, restartPolicy: 'Always' }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: podMetadata(taskRun, options),
    spec: withAffinityAssistant(
      {
        restartPolicy: 'Never',
        initContainers: native ? [...initContainers, ...nativeSidecars] : initContainers,
        containers: native ? stepContainers : [...stepContainers, ...sidecarContainers],
        serviceAccountName: taskRun.spec.serviceAccountName ?? 'default',
        activeDeadlineSeconds: deadlineOf(taskRun.spec.timeout),
        volumes: volumesOf(whole, template, flags, credentials, {
          waitsForReady,
          hasScripts: scripts.container !== undefined,
        }),
        ...templateFields(template),
      } as PodSpec,
      taskRun.metadata.annotations?.[affinityAssistantAnnotation],
    ),
  };
}

/** Whether nobody needs to be waited for. Injected sidecars are not in the spec, so by default there may be some. */
function isReadyAtOnce(sidecars: number, flags: FeatureFlags): boolean {
  if (!flags.awaitSidecarReadiness) return true;
  return sidecars === 0 && !flags.runningInEnvWithInjectedSidecars;
}

function breakpointsOf({ spec }: TaskRun): { onFailure: boolean; beforeSteps: ReadonlySet<string> } {
  const { onFailure, beforeSteps = [] } = spec.debug?.breakpoints ?? {};
  return { onFailure: onFailure === 'enabled', beforeSteps: new Set(beforeSteps) };
}

function withTemplateEnv(container: Container, { env = [] }: PodTemplate, forbidden: readonly string[]): Container {
  const added = env.filter(({ name }) => !forbidden.includes(name));
  return added.length > 0 ? { ...container, env: [...(container.env ?? []), ...added] } : container;
}

function volumesOf(
  task: TaskSpec,
  template: PodTemplate,
  flags: FeatureFlags,
  credentials: PodCredentials,
  { waitsForReady, hasScripts }: { readonly waitsForReady: boolean; readonly hasScripts: boolean },
): readonly Volume[] {
  const keep = flags.enableKeepPodOnCancel;
  return [
    ...implicitVolumes,
    ...credentials.volumes,
    ...(hasScripts ? [scriptsVolume] : []),
    binVolume,
    ...(waitsForReady || keep
      ? [downwardVolume([...(waitsForReady ? ['ready' as const] : []), ...(keep ? ['cancel' as const] : [])])]
      : []),
    ...(task.steps ?? []).flatMap((_, index) => [
      ...(flags.disableCredsInit ? [] : [credsVolume(index)]),
      runVolume(index),
    ]),
    ...(task.volumes ?? []),
    ...(template.volumes ?? []),
  ];
}

function deadlineOf(timeout: string | undefined): number {
  const seconds = Number(parseGoDuration(timeout ?? '1h')) / 1e9;
  return seconds === 0 ? noDeadline : Math.floor(seconds * deadlineFactor);
}

function templateFields({ env: _, volumes: __, ...fields }: PodTemplate): Partial<PodSpec> {
  return fields as Partial<PodSpec>;
}

function podMetadata(taskRun: TaskRun, { release, managedBy }: PodOptions): Pod['metadata'] {
  const { name = '', namespace = '', uid = '', labels, annotations = {} } = taskRun.metadata;
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...kept } = annotations;
  const retries = taskRun.status?.retriesStatus?.length ?? 0;
  return {
    name: childName(name, retries > 0 ? `-pod-retry${retries}` : '-pod'),
    namespace,
    labels: {
      ...labels,
      'tekton.dev/taskRun': name,
      'tekton.dev/taskRunUID': uid,
      'app.kubernetes.io/managed-by': managedBy,
    },
    annotations: { ...kept, 'pipeline.tekton.dev/release': release },
    ownerReferences: [controllerReference(taskRun)],
  };
}
