import { posix } from 'node:path';
import type { ContainerSpec } from '../runtime/pod-runtime.ts';

export interface PodmanCreateOptions {
  /** Files that do not exist yet. */
  readonly pidFile: string;
  readonly envFile: string;
  /** Marks the container as ours. */
  readonly label: string;
  /** The most this process may give: an engine without the right to raise limits refuses to start with its own defaults. */
  readonly limits: { readonly openFiles: number; readonly processes: number };
  readonly runtime?: string;
}

/** The words after `podman create` for a container. */
export function createArguments(spec: ContainerSpec, options: PodmanCreateOptions): string[] {
  const { command, args, sandbox, user, capabilities, limits } = spec;
  const flag = (condition: boolean, ...words: string[]) => (condition ? words : []);
  return [
    `--name=${spec.id}`,
    `--label=${options.label}`,
    `--pidfile=${options.pidFile}`,
    `--env-file=${options.envFile}`,
    ...longVariables(spec),
    '--pull=never',
    '--log-driver=none',
    '--network=host',
    '--systemd=false',
    `--hostname=${sandbox.hostname}`,
    ...[...sandbox.sysctls].map(([path, value]) => `--sysctl=${path.replaceAll('/', '.')}=${value}`),
    `--ulimit=nofile=${options.limits.openFiles}:${options.limits.openFiles}`,
    `--ulimit=nproc=${options.limits.processes}:${options.limits.processes}`,
    ...flag(options.runtime !== undefined, `--runtime=${options.runtime}`),
    ...flag(spec.stdin, '--interactive'),
    ...flag(spec.workingDir !== undefined, `--workdir=${spec.workingDir}`),
    ...flag(user.uid !== undefined, `--user=${user.uid}${user.gid === undefined ? '' : `:${user.gid}`}`),
    ...user.supplementalGroups.map((group) => `--group-add=${group}`),
    ...flag(spec.readOnlyRootFilesystem, '--read-only', '--read-only-tmpfs=false'),
    ...flag(spec.privileged, '--privileged'),
    ...flag(!spec.allowPrivilegeEscalation && !spec.privileged, '--security-opt=no-new-privileges'),
    ...flag(spec.seccompProfile.type === 'Unconfined', '--security-opt=seccomp=unconfined'),
    ...capabilities.drop.map((name) => `--cap-drop=${name}`),
    ...capabilities.add.map((name) => `--cap-add=${name}`),
    ...flag(
      limits.memoryBytes !== undefined,
      `--memory=${limits.memoryBytes}b`,
      `--memory-swap=${limits.memoryBytes}b`,
    ),
    ...flag(limits.cpuMillis !== undefined, `--cpus=${(limits.cpuMillis ?? 0) / 1000}`),
    ...flag(
      limits.cpuRequestMillis !== undefined,
      `--cpu-shares=${Math.max(2, Math.floor(((limits.cpuRequestMillis ?? 0) * 1024) / 1000))}`,
    ),
    ...sandbox.hostAliases.flatMap(({ ip, hostnames }) => hostnames.map((name) => `--add-host=${name}:${ip}`)),
    ...spec.mounts.flatMap(({ hostPath, covered = [], containerPath, readOnly }) => [
      `--mount=${mountWords(['type=bind', `source=${hostPath}`], containerPath, readOnly)}`,
      ...covered.map((path) => `--mount=${mountWords(['type=tmpfs'], posix.join(containerPath, path), true)}`),
    ]),
    ...flag(command.length > 0, `--entrypoint=${JSON.stringify(command)}`),
    '--',
    spec.image,
    ...args,
  ];
}

/** A list of fields in which a comma needs quotes. */
function mountWords(source: readonly string[], target: string, readOnly: boolean): string {
  const fields = [...source, `target=${posix.normalize(target)}`, ...(readOnly ? ['ro=true'] : [])];
  return fields.map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

/** The file of variables: one line each. */
export function environmentFile({ env }: ContainerSpec): string {
  return [...env]
    .filter(([, value]) => !value.includes('\n'))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Variables with several lines do not fit into that file. */
function longVariables({ env }: ContainerSpec): string[] {
  return [...env].filter(([, value]) => value.includes('\n')).map(([name, value]) => `--env=${name}=${value}`);
}
