import { ContainerStartError } from '../runtime/container-start-error.ts';
import type { ContainerMount, ContainerSpec } from '../runtime/pod-runtime.ts';
import type { SandboxFlag, SandboxJob } from '../sandbox/sandbox-job.ts';
import type { ContainerFolders, ContainerPlan } from './container-plan.ts';
import { ContainerRoot } from './container-root.ts';
import { commandLine, type MappedImage } from './image-mapping.ts';
import { imageRootEntries, type RootEntry } from './root-entry.ts';

/** The base of roots that have the machine's programs. */
export interface MachineBase {
  readonly entries: readonly RootEntry[];
  /** Paths of this machine that are covered. */
  readonly hidden: readonly string[];
  readonly userNamespace: boolean;
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A container with the programs of this machine, or with the folder that its image is mapped to. */
export function planMachineContainer(
  spec: ContainerSpec,
  image: MappedImage,
  mounts: readonly ContainerMount[],
  folders: ContainerFolders,
  base: MachineBase,
): ContainerPlan {
  const command = commandLine(spec.image, image, spec);
  const root = new ContainerRoot({
    ...folders,
    entries: image.root === undefined ? base.entries : imageRootEntries(image.root),
    hidden: image.root === undefined ? base.hidden : [],
    userNamespace: base.userNamespace,
    readOnly: spec.readOnlyRootFilesystem,
  });
  if (image.shell !== undefined)
    for (const containerPath of ['/bin/sh', '/bin/ash'])
      root.add({ hostPath: image.shell, containerPath, readOnly: true });
  for (const mount of mounts) root.add(mount);
  if (spec.workingDir) root.ensureFolder(spec.workingDir);
  const rootFlags: SandboxFlag[] = ['resolvedPaths'];
  if (spec.readOnlyRootFilesystem) rootFlags.push('readOnlyRoot');
  return {
    root: { root: root.root, mounts: root.finish() },
    process: {
      command,
      env: environmentOf(spec, image),
      workingDir: spec.workingDir ?? image.workdir ?? '/',
      user: userOf(spec, image),
    },
    processFlags: ['noNewPrivileges'],
    rootFlags,
    imageID: `host://${spec.image}`,
  };
}

function environmentOf(spec: ContainerSpec, image: MappedImage): Map<string, string> {
  const home = (spec.user.uid ?? 0) === 0 ? '/root' : '/';
  const defaults = { PATH: defaultPath, HOSTNAME: spec.sandbox.hostname, HOME: home };
  return new Map([...Object.entries(defaults), ...Object.entries(image.env ?? {}), ...spec.env]);
}

function userOf({ user }: ContainerSpec, image: MappedImage): SandboxJob['user'] {
  const [imageUid = '0', imageGid = '0'] = (image.user ?? '0').split(':');
  const uid = user.uid ?? Number(imageUid);
  const gid = user.gid ?? (user.uid === undefined ? Number(imageGid) : 0);
  if (!Number.isInteger(uid) || !Number.isInteger(gid))
    throw new ContainerStartError(
      'CreateContainerError',
      `the user ${image.user} that the image is mapped to is not numeric`,
    );
  return { uid, gid, groups: user.supplementalGroups };
}
