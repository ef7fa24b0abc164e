import { constants } from 'node:os';
import { isStoreError, parseAccounts, resolveProcess, type HeldImage } from '@tektite/oci';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type { ContainerMount, ContainerSpec } from '../runtime/pod-runtime.ts';
import type { SandboxFlag } from '../sandbox/sandbox-job.ts';
import type { ContainerFolders, ContainerPlan } from './container-plan.ts';
import { imageRoot } from './image-root.ts';
import { readInLayers } from './read-in-layers.ts';

/** A container that runs its image: the image's root, and its process where the spec leaves it open. */
export function planImageContainer(
  spec: ContainerSpec,
  image: HeldImage,
  mounts: readonly ContainerMount[],
  folders: ContainerFolders,
  userNamespace: boolean,
): ContainerPlan {
  const { argv, env, cwd, uid, gid, groups, ...process } = processOf(spec, image);
  const stopSignal = signalOf(process.stopSignal);
  const rootFlags: SandboxFlag[] = ['makeWorkingFolder'];
  if (spec.readOnlyRootFilesystem) rootFlags.push('readOnlyRoot');
  return {
    root: imageRoot({ image, mounts, ...folders, userNamespace }),
    process: {
      command: argv,
      env: new Map([['HOSTNAME', spec.sandbox.hostname], ...env]),
      workingDir: cwd.startsWith('/') ? cwd : `/${cwd}`,
      user: { uid, gid, groups },
    },
    processFlags: spec.allowPrivilegeEscalation ? [] : ['noNewPrivileges'],
    rootFlags,
    imageID: image.repoDigest,
    ...(stopSignal ? { stopSignal } : {}),
  };
}

/** A signal as images name it: `SIGQUIT`, `QUIT` or `3`. Undefined for those that have no name. */
export function signalOf(text: string): NodeJS.Signals | undefined {
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  const name = text.toUpperCase();
  return names.find(([each, number]) => each === name || each === `SIG${name}` || String(number) === text)?.[0];
}

function processOf(spec: ContainerSpec, image: HeldImage) {
  const read = (path: string) => readInLayers(image.layers, path);
  try {
    return resolveProcess(spec, image.config, parseAccounts(read('/etc/passwd'), read('/etc/group')));
  } catch (error) {
    if (!isStoreError(error, 'NO_COMMAND') && !isStoreError(error, 'UNKNOWN_USER')) throw error;
    throw new ContainerStartError(
      'CreateContainerError',
      `failed to generate container ${JSON.stringify(spec.id)} spec: failed to generate spec: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
