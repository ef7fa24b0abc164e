import { Quantity } from '@tektite/meta';
import type { HeldImage } from '@tektite/oci';
import type { Container, Pod } from '@tektite/schema/kubernetes';
import { environment, type EnvironmentContext } from '../env/environment.ts';
import { expandAll } from '../env/expand.ts';
import { asksForMore, messageLimit, messageLimitVariable } from './termination-message.ts';
import { ContainerStartError, isContainerStartError } from '../runtime/container-start-error.ts';
import type {
  ContainerLimits,
  ContainerSpec,
  ImagePullPolicy,
  OutputSink,
  PodRuntime,
  PodSandbox,
  SeccompProfile,
} from '../runtime/pod-runtime.ts';
import type { PreparedVolume } from '../volumes/pod-volumes.ts';
import { containerMounts } from './container-mounts.ts';
import type { ContainerRole } from '../container/container-record.ts';
import { containerUser } from './container-user.ts';
import { shouldRestart } from '../container/restart-policy.ts';

export interface ContainerSpecParts {
  readonly pod: Pod;
  readonly container: Container;
  readonly role: ContainerRole;
  readonly id: string;
  readonly attempt: number;
  readonly sandbox: PodSandbox;
  readonly volumes: ReadonlyMap<string, PreparedVolume>;
  readonly environment: EnvironmentContext;
  readonly runtime: PodRuntime;
  readonly output: OutputSink;
  /** The image, where the runtime uses images. */
  readonly heldImage?: HeldImage;
  /** A file for the container's last words, or none where files are not real. */
  readonly terminationLog?: string;
}

/** A container, ready to be started. Dispose it when it has, or has not. */
export interface ReadyContainer extends Disposable {
  readonly spec: ContainerSpec;
}

/** Resolves all that a container's spec refers to. Rejects with a `CreateContainerConfigError`. */
export async function containerSpec(parts: ContainerSpecParts): Promise<ReadyContainer> {
  try {
    return await resolveSpec(parts);
  } catch (error) {
    if (isContainerStartError(error)) throw error;
    throw new ContainerStartError('CreateContainerConfigError', (error as Error).message, { cause: error });
  }
}

async function resolveSpec(parts: ContainerSpecParts): Promise<ReadyContainer> {
  const { pod, container, runtime, heldImage, terminationLog } = parts;
  const image = container.image ?? '';
  const user = containerUser(
    pod,
    container,
    heldImage ? heldImage.config.user || undefined : await runtime.imageUser(image),
  );
  const env = await environment(pod, container, parts.environment);
  if (asksForMore(pod)) env.set(messageLimitVariable, String(messageLimit(pod)));
  const opened = containerMounts(container, parts.volumes, env, runtime.usesFiles);
  const last = {
    hostPath: terminationLog ?? '',
    containerPath: container.terminationMessagePath ?? '/dev/termination-log',
    readOnly: false,
  };
  const { securityContext } = container;
  const spec: ContainerSpec = {
    id: parts.id,
    name: container.name,
    attempt: parts.attempt,
    restarts: shouldRestart(pod, container, parts.role, 0),
    sandbox: parts.sandbox,
    image,
    imagePullPolicy: pullPolicyOf(container),
    ...(heldImage ? { heldImage } : {}),
    command: expandAll(container.command ?? [], env),
    args: expandAll(container.args ?? [], env),
    env,
    ...(container.workingDir ? { workingDir: container.workingDir } : {}),
    mounts: [...opened.mounts, ...(terminationLog ? [last] : [])],
    user,
    readOnlyRootFilesystem: securityContext?.readOnlyRootFilesystem ?? false,
    privileged: securityContext?.privileged ?? false,
    allowPrivilegeEscalation: securityContext?.allowPrivilegeEscalation ?? true,
    capabilities: { add: securityContext?.capabilities?.add ?? [], drop: securityContext?.capabilities?.drop ?? [] },
    seccompProfile: seccompProfileOf(pod, container),
    limits: limitsOf(pod, container),
    stdin: container.stdin ?? false,
    tty: container.tty ?? false,
    output: parts.output,
  };
  return { spec, [Symbol.dispose]: () => opened[Symbol.dispose]() };
}

/** As a kubelet that runs with `--seccomp-default`: the runtime's own profile where the Pod names none. */
function seccompProfileOf({ spec }: Pod, { securityContext }: Container): SeccompProfile {
  const { type, localhostProfile = '' } =
    securityContext?.seccompProfile ?? spec?.securityContext?.seccompProfile ?? {};
  if (type === 'Localhost') return { type, localhostProfile };
  return { type: type === 'Unconfined' ? type : 'RuntimeDefault' };
}

export function pullPolicyOf({ imagePullPolicy }: Container): ImagePullPolicy {
  return (imagePullPolicy ?? 'IfNotPresent') as ImagePullPolicy;
}

/** Containers of Pods that guarantee something have a share of the CPU each, however small: it may be changed while they run. */
export function limitsOf({ status }: Pod, { resources }: Container): ContainerLimits {
  const memory = resources?.limits?.['memory'];
  const cpu = resources?.limits?.['cpu'];
  const guarantees = status?.qosClass === 'Burstable' || status?.qosClass === 'Guaranteed';
  const request = resources?.requests?.['cpu'] ?? (guarantees ? '0' : undefined);
  return {
    ...(memory === undefined ? {} : { memoryBytes: Number(Quantity.parse(String(memory)).value) }),
    ...(cpu === undefined ? {} : { cpuMillis: Number(Quantity.parse(String(cpu)).milliValue) }),
    ...(request === undefined ? {} : { cpuRequestMillis: Number(Quantity.parse(String(request)).milliValue) }),
  };
}
