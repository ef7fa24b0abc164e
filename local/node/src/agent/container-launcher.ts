import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeldImage } from '@tektite/oci';
import type { Container, ObjectReference, Pod } from '@tektite/schema/kubernetes';
import type { ContainerLog } from '../logs/container-log.ts';
import { ContainerStartError, isContainerStartError, isImageFailure } from '../runtime/container-start-error.ts';
import type { ImagePullPolicy, PodSandbox, RunningContainer } from '../runtime/pod-runtime.ts';
import type { PreparedVolume } from '../volumes/pod-volumes.ts';
import type { AgentParts } from './agent-parts.ts';
import type { ContainerRole, Termination } from '../container/container-record.ts';
import { containerSpec, pullPolicyOf } from './container-spec.ts';
import { messageLimit, terminationMessage } from './termination-message.ts';

/** A started run of a container. */
export interface LaunchedContainer {
  readonly containerID: string;
  readonly running: RunningContainer;
  /** How it ended, after its log is complete. Never rejects. */
  readonly ended: Promise<Termination>;
}

export interface LaunchRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly role: ContainerRole;
  readonly attempt: number;
  readonly sandbox: PodSandbox;
  readonly podIPs: readonly string[];
  readonly volumes: ReadonlyMap<string, PreparedVolume>;
}

type RecordEvent = (type: 'Normal' | 'Warning', reason: string, message: string) => void;

/** Starts containers, and records the Events of it. */
export class ContainerLauncher {
  private readonly parts: AgentParts;

  constructor(parts: AgentParts) {
    this.parts = parts;
  }

  /** Rejects with a `ContainerStartError`, or with the reason of the signal. */
  async launch(request: LaunchRequest, signal: AbortSignal): Promise<LaunchedContainer> {
    const { pod, container, role } = request;
    const record: RecordEvent = (type, reason, message) =>
      this.parts.events.event(containerReference(pod, container, role), { type, reason, message });
    const held: HeldImage[] = [];
    try {
      const heldImage = await this.provideImage(request, record, signal);
      if (heldImage) held.push(heldImage);
      const volumes = await this.provideImageVolumes(request, held, record, signal);
      const launched = await this.start({ ...request, volumes }, heldImage, record);
      void launched.running.exited.then(() => Promise.all(held.map((each) => each.release())));
      return launched;
    } catch (error) {
      for (const each of held) await each.release();
      if (isContainerStartError(error))
        record('Warning', 'Failed', `Error: ${isImageFailure(error) ? error.reason : error.message}`);
      throw error;
    }
  }

  /** Runtimes without images run whatever is there. */
  private async provideImage(
    { pod, container }: LaunchRequest,
    record: RecordEvent,
    signal: AbortSignal,
  ): Promise<HeldImage | undefined> {
    const { images, runtime } = this.parts;
    const image = container.image ?? '';
    if (images && runtime.usesImages)
      return images.ensure({ pod, image, policy: pullPolicyOf(container), record, signal });
    if (!runtime.startsAtOnce)
      record(
        'Normal',
        'Pulled',
        `Container image ${JSON.stringify(image)} already present on machine and can be accessed by the pod`,
      );
    return undefined;
  }

  /** The volumes of the Pod, and those of the container that are images. These are added to what is held. */
  private async provideImageVolumes(
    { pod, container, volumes }: LaunchRequest,
    held: HeldImage[],
    record: RecordEvent,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, PreparedVolume>> {
    const { images, runtime } = this.parts;
    if (!images || !runtime.usesImages) return volumes;
    const mounted = new Set((container.volumeMounts ?? []).map(({ name }) => name));
    const all = new Map(volumes);
    for (const { name, image: source } of pod.spec?.volumes ?? []) {
      if (!source || !mounted.has(name)) continue;
      const image = source.reference ?? '';
      const policy = (source.pullPolicy ?? 'IfNotPresent') as ImagePullPolicy;
      const found = await images.ensure({ pod, image, policy, record, signal });
      if (found) held.push(found);
      const [path, ...under] = found?.layers ?? [];
      if (path === undefined) throw new ContainerStartError('ErrImagePull', `the image ${image} has no files`);
      all.set(name, { path, readOnly: true, written: false, image: { under } });
    }
    return all;
  }

  private async start(
    request: LaunchRequest,
    heldImage: HeldImage | undefined,
    record: RecordEvent,
  ): Promise<LaunchedContainer> {
    const { parts } = this;
    const { pod, container, attempt, sandbox } = request;
    const id = Buffer.from(parts.random.bytes(32)).toString('hex');
    const log = parts.logs.create(ownerOf(pod), container.name, attempt);
    const terminationLog = parts.runtime.usesFiles
      ? makeTerminationLog(sandbox.directory, container.name, id)
      : undefined;
    const recordStart = (reason: string, message: string) => {
      if (!parts.runtime.startsAtOnce) record('Normal', reason, message);
    };
    try {
      using ready = await containerSpec({
        ...request,
        id,
        environment: {
          ...parts.environment,
          podIPs: request.podIPs,
          ...(sandbox.hostNetwork ? { serviceVariables: parts.machineVariables } : {}),
        },
        runtime: parts.runtime,
        output: log,
        ...(heldImage ? { heldImage } : {}),
        ...(terminationLog ? { terminationLog } : {}),
      });
      const running = await parts.runtime.startContainer(ready.spec);
      recordStart('Created', 'Container created');
      recordStart('Started', 'Container started');
      const containerID = `${parts.runtime.name}://${id}`;
      return { containerID, running, ended: this.end(request, containerID, running, log, terminationLog) };
    } catch (error) {
      await parts.logs.close(log);
      if (isContainerStartError(error) && error.reason === 'RunContainerError')
        recordStart('Created', 'Container created');
      throw error;
    }
  }

  private async end(
    { pod, container }: LaunchRequest,
    containerID: string,
    running: RunningContainer,
    log: ContainerLog,
    terminationLog: string | undefined,
  ): Promise<Termination> {
    const exit = await running.exited;
    await this.parts.logs.close(log);
    const limit = messageLimit(pod);
    const files = { terminationLog, log: log.path };
    const message =
      exit.lastWords?.slice(0, limit) ??
      (await terminationMessage(container, exit.exitCode, limit, files, this.parts.clock).catch(() => undefined));
    return {
      exitCode: exit.exitCode,
      reason: exit.oomKilled ? 'OOMKilled' : exit.exitCode === 0 ? 'Completed' : 'Error',
      ...(message ? { message } : {}),
      startedAt: running.startedAt,
      finishedAt: exit.finishedAt,
      containerID,
    };
  }
}

/** Writable by the user of the container. */
function makeTerminationLog(directory: string, container: string, id: string): string {
  const path = join(directory, `termination-${container}-${id.slice(0, 8)}`);
  writeFileSync(path, '');
  chmodSync(path, 0o666);
  return path;
}

export function ownerOf({ metadata }: Pod): { namespace: string; name: string; uid: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

export function podReference({ metadata }: Pod): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

const listOf: Readonly<Record<ContainerRole, string>> = {
  init: 'initContainers',
  sidecar: 'initContainers',
  app: 'containers',
  ephemeral: 'ephemeralContainers',
};

export function containerReference(pod: Pod, { name }: Container, role: ContainerRole): ObjectReference {
  return { ...podReference(pod), fieldPath: `spec.${listOf[role]}{${name}}` };
}
