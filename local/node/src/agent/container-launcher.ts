import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container, ObjectReference, Pod } from '@tektite/schema/kubernetes';
import type { ContainerLog } from '../logs/container-log.ts';
import { isContainerStartError } from '../runtime/container-start-error.ts';
import type { PodSandbox, RunningContainer } from '../runtime/pod-runtime.ts';
import type { PreparedVolume } from '../volumes/pod-volumes.ts';
import type { AgentParts } from './agent-parts.ts';
import type { ContainerRole, Termination } from '../container/container-record.ts';
import { containerSpec } from './container-spec.ts';
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
  readonly volumes: ReadonlyMap<string, PreparedVolume>;
}

/** Starts containers, and records the Events of it. */
export class ContainerLauncher {
  private readonly parts: AgentParts;

  constructor(parts: AgentParts) {
    this.parts = parts;
  }

  /** Rejects with a `ContainerStartError`. */
  async launch(request: LaunchRequest): Promise<LaunchedContainer> {
    const { parts } = this;
    const { pod, container, role, attempt, sandbox } = request;
    const id = Buffer.from(parts.random.bytes(32)).toString('hex');
    const log = parts.logs.create(ownerOf(pod), container.name, attempt);
    const terminationLog = parts.runtime.usesFiles
      ? makeTerminationLog(sandbox.directory, container.name, id)
      : undefined;
    const record = (type: 'Normal' | 'Warning', reason: string, message: string) =>
      parts.events.event(containerReference(pod, container, role), { type, reason, message });
    const recordStart = parts.runtime.startsAtOnce
      ? () => undefined
      : (reason: string, message: string) => record('Normal', reason, message);
    recordStart(
      'Pulled',
      `Container image ${JSON.stringify(container.image ?? '')} already present on machine and can be accessed by the pod`,
    );
    try {
      using ready = await containerSpec({
        ...request,
        id,
        environment: parts.environment,
        runtime: parts.runtime,
        output: log,
        ...(terminationLog ? { terminationLog } : {}),
      });
      const running = await parts.runtime.startContainer(ready.spec);
      recordStart('Created', 'Container created');
      recordStart('Started', 'Container started');
      const containerID = `${parts.runtime.name}://${id}`;
      return { containerID, running, ended: this.end(request, containerID, running, log, terminationLog) };
    } catch (error) {
      await parts.logs.close(log);
      if (isContainerStartError(error)) {
        if (error.reason === 'RunContainerError') recordStart('Created', 'Container created');
        record('Warning', 'Failed', `Error: ${error.message}`);
      }
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

export function containerReference(pod: Pod, { name }: Container, role: ContainerRole): ObjectReference {
  return { ...podReference(pod), fieldPath: `spec.${role === 'app' ? 'containers' : 'initContainers'}{${name}}` };
}
