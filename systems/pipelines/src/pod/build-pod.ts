import { parseGoDuration } from '@tektite/go';
import { childName, controllerReference, type Random } from '@tektite/meta';
import type {
  Container,
  LimitRange,
  Pod,
  PodSpec,
  ResourceRequirements,
  Volume,
  VolumeMount,
} from '@tektite/schema/kubernetes';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { PodTemplate } from '../kinds/pod-template.ts';
import type { Step, TaskSpec } from '../kinds/task-spec.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { paramReplacements } from '../substitution/param-replacements.ts';
import { replaceInTask } from '../substitution/replace-in-task.ts';
import { stringReplacements } from '../substitution/replacements.ts';
import { replaceEverywhere } from '../substitution/replace-everywhere.ts';
import { affinityAssistantAnnotation, withAffinityAssistant } from './affinity.ts';
import { applyComputeResources } from './compute-resources.ts';
import { stepContainer as stepContainerName } from './container-names.ts';
import { breakpointsOf, hasBreakpoints } from './debugging.ts';
import { withDefaultResources } from './default-resources.ts';
import { commandKey, type ImageCommands, needsImageCommand, withImageCommands } from './image-commands.ts';
import { ownSecurityContext, prepareContainer, workingDirContainer } from './init-containers.ts';
import {
  binVolume,
  credsVolume,
  debugVolumes,
  downwardVolume,
  implicitVolumes,
  paths,
  runVolume,
  scriptsVolume,
  spireMount,
  spireVolume,
} from './internal-volumes.ts';
import { withinLimitRanges } from './limit-range.ts';
import { mergeStepTemplate } from './merge-step-template.ts';
import { type PlacedScripts, placeScripts } from './place-scripts.ts';
import type { PodImages } from './pod-images.ts';
import { needsResultsSidecar, resultsContainer, userSidecar } from './sidecar-containers.ts';
import { stepContainer, type StepContainerOptions } from './step-container.ts';

/** The credentials of the service account's Secrets for the steps. */
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
  /** The default resources of containers, by name. */
  readonly containerResources?: Readonly<Record<string, ResourceRequirements>> | undefined;
  /** Sidecars are init containers that keep running. Default: they are containers beside the steps. */
  readonly hasNativeSidecars?: boolean;
  /** The commands of images, by `commandKey`, for steps without one. */
  readonly imageCommands?: ReadonlyMap<string, ImageCommands>;
  /** The LimitRanges of the namespace. */
  readonly limitRanges?: readonly LimitRange[];
}

/** A Pod that cannot be made, and why, in upstream's words. */
export class PodBuildError extends Error {
  override readonly name = 'PodBuildError';
}

const noCredentials: PodCredentials = { flags: [], volumes: [], mounts: [] };
/** One and a half times the timeout of the run: the controller ends it before, unless it is down. */
const deadlineFactor = 1.5;
const noDeadline = 2_147_483_647;

/** The Pod of a TaskRun. The Task has everything replaced and its workspaces applied. Throws a {@link PodBuildError}. */
export function buildPod(taskRun: TaskRun, given: TaskSpec, options: PodOptions): Pod {
  const { flags } = options;
  const credentials = flags.disableCredsInit ? noCredentials : options.credentials;
  const task = replaceInTask(given, stringReplacements([['credentials.path', paths.creds]]));
  const merged = (task.steps ?? [])
    .map((step) => mergeStepTemplate(task.stepTemplate, step))
    .map((step) =>
      needsImageCommand(step) ? withImageCommands(step, options.imageCommands?.get(commandKey(step))) : step,
    );
  const whole = applyComputeResources({ ...task, steps: merged }, taskRun.spec);
  const { steps = [], sidecars = [] } = whole;
  checkSteps(steps);
  const breakpoints = breakpointsOf(taskRun, flags);
  const isAlpha = flags.enableAPIFields === 'alpha';
  const scripts = placeScripts(steps, sidecars, {
    breakpoints,
    images: options.images,
    isAlpha,
    random: options.random,
  });
  const hasResultsSidecar = needsResultsSidecar(whole, flags);
  const waitsForReady = !isReadyAtOnce(sidecars.length + (hasResultsSidecar ? 1 : 0), flags);
  const params = paramReplacements(task.params ?? [], taskRun.spec.params ?? [], 'task');
  const template = replaceEverywhere(taskRun.spec.podTemplate ?? {}, params);
  const volumes = volumesOf(whole, template, flags, credentials, {
    waitsForReady,
    hasScripts: scripts.container !== undefined,
    isDebugged: hasBreakpoints(breakpoints),
  });
  checkVolumes(volumes);
  const spec = {
    restartPolicy: 'Never',
    ...containersOf(whole, taskRun, template, scripts, {
      ...options,
      waitsForReady,
      hasResultsSidecar,
      breakpoints,
      credentials: credentials.flags,
      secretMounts: credentials.mounts,
    }),
    serviceAccountName: taskRun.spec.serviceAccountName ?? 'default',
    activeDeadlineSeconds: deadlineOf(taskRun.spec.timeout),
    volumes: [...volumes, ...(flags.enforceNonfalsifiability === 'spire' ? [spireVolume] : [])],
    ...templateFields(template),
  } as PodSpec;
  const within = withinLimitRanges(withDefaultResources(spec, options.containerResources), options.limitRanges ?? []);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: podMetadata(taskRun, options, waitsForReady),
    spec: withAffinityAssistant(within, taskRun.metadata.annotations?.[affinityAssistantAnnotation]),
  };
}

type ContainerOptions = Omit<PodOptions, 'credentials'> & Omit<StepContainerOptions, 'script'>;

/** Init containers, steps, and sidecars beside the steps, or before them where the cluster knows sidecars itself. */
function containersOf(
  task: TaskSpec,
  taskRun: TaskRun,
  template: PodTemplate,
  scripts: PlacedScripts,
  options: ContainerOptions,
): Pick<PodSpec, 'initContainers' | 'containers'> {
  const { flags, images, hasNativeSidecars = false } = options;
  const { steps = [], sidecars = [] } = task;
  const names = steps.map(({ name }, index) => stepContainerName(name, index));
  const stepContainers = steps.map((step, index) => {
    const container = stepContainer(task, step, index, names[index] ?? '', {
      ...options,
      script: scripts.steps[index],
    });
    return withMoreEnv(container, template, taskRun, options);
  });
  const onWindows = template.nodeSelector?.['kubernetes.io/os'] === 'windows';
  const secured = (container: Container, isWindows = onWindows): Container => {
    const securityContext = ownSecurityContext(flags, isWindows);
    return securityContext ? { ...container, securityContext } : container;
  };
  const workingDirs = workingDirContainer(images, steps);
  const isSpire = flags.enforceNonfalsifiability === 'spire';
  const initContainers = [
    secured(prepareContainer(images, names)),
    ...(scripts.container ? [secured(scripts.container, scripts.areForWindows)] : []),
    ...(workingDirs ? [secured(workingDirs)] : []),
  ].map((each) => (isSpire ? { ...each, volumeMounts: [...(each.volumeMounts ?? []), spireMount] } : each));
  const results = options.hasResultsSidecar
    ? [secured(resultsContainer(task, images, hasNativeSidecars, options.sidecarLogPollingInterval))]
    : [];
  const beside = [...sidecars.map((sidecar, index) => userSidecar(sidecar, scripts.sidecars[index])), ...results];
  if (!hasNativeSidecars) return { initContainers, containers: [...stepContainers, ...beside] };
  const native = beside.map((container) => ({ ...container, restartPolicy: 'Always' }));
  return { initContainers: [...initContainers, ...native], containers: stepContainers };
}

/** Checks fields that variables may have made invalid. */
function checkSteps(steps: readonly Step[]): void {
  if (steps.length === 0) throw new PodBuildError('no steps specified');
  for (const { onError } of steps)
    if (onError && onError !== 'continue' && onError !== 'stopAndFail')
      throw new PodBuildError(
        `task step onError must be either "continue" or "stopAndFail" but it is set to an invalid value "${onError}"`,
      );
}

function checkVolumes(volumes: readonly Volume[]): void {
  const names = new Set<string>();
  volumes.forEach(({ name }, index) => {
    if (names.has(name)) throw new PodBuildError(`multiple volumes with same name "${name}": [${index}].name`);
    names.add(name);
  });
}

/** Whether no sidecar has to be waited for. Injected sidecars are not in the spec, so by default there may be some. */
function isReadyAtOnce(sidecars: number, flags: FeatureFlags): boolean {
  if (!flags.awaitSidecarReadiness) return true;
  return sidecars === 0 && !flags.runningInEnvWithInjectedSidecars;
}

/** Variables of the template, and the word that nothing outside may be reached. */
function withMoreEnv(
  container: Container,
  { env = [] }: PodTemplate,
  { metadata }: TaskRun,
  { forbiddenEnv, flags }: Pick<PodOptions, 'forbiddenEnv' | 'flags'>,
): Container {
  const isHermetic = metadata.annotations?.['experimental.tekton.dev/execution-mode'] === 'hermetic';
  const added = [
    ...env.filter(({ name }) => !forbiddenEnv.includes(name)),
    ...(isHermetic && flags.enableAPIFields === 'alpha' ? [{ name: 'TEKTON_HERMETIC', value: '1' }] : []),
  ];
  return added.length > 0 ? { ...container, env: [...(container.env ?? []), ...added] } : container;
}

function volumesOf(
  task: TaskSpec,
  template: PodTemplate,
  flags: FeatureFlags,
  credentials: PodCredentials,
  { waitsForReady, hasScripts, isDebugged }: Readonly<Record<'waitsForReady' | 'hasScripts' | 'isDebugged', boolean>>,
): readonly Volume[] {
  const keep = flags.enableKeepPodOnCancel;
  return [
    ...implicitVolumes,
    ...credentials.volumes,
    ...(hasScripts ? [scriptsVolume] : []),
    ...(isDebugged ? debugVolumes : []),
    binVolume,
    ...(waitsForReady || keep ? [downwardVolume(['ready', ...(keep ? ['cancel' as const] : [])])] : []),
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

function podMetadata(taskRun: TaskRun, { release, managedBy }: PodOptions, waitsForReady: boolean): Pod['metadata'] {
  const { name = '', namespace = '', uid = '', labels, annotations = {} } = taskRun.metadata;
  const {
    'kubectl.kubernetes.io/last-applied-configuration': _,
    'app.kubernetes.io/managed-by': __,
    ...kept
  } = annotations;
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
    annotations: {
      ...kept,
      'pipeline.tekton.dev/release': release,
      ...(waitsForReady ? {} : { 'tekton.dev/ready': 'READY' }),
    },
    ownerReferences: [controllerReference(taskRun)],
  };
}
