import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { HeldImage } from '@tektite/oci';
import { layeredMount } from './container-root.ts';
import type { ContainerMount } from '../runtime/pod-runtime.ts';
import type { SandboxJob, SandboxMount } from '../sandbox/sandbox-job.ts';

/** The number of overlayfs, which cannot hold the writable folder of another overlay. */
const overlayType = 0x794c_7630;

export interface ImageRootOptions {
  readonly image: HeldImage;
  readonly mounts: readonly ContainerMount[];
  /** A folder of the container in memory. */
  readonly directory: string;
  /** One on disk, for what the container writes. */
  readonly scratch: string;
  readonly userNamespace: boolean;
}

/** The root of a container of an image: its layers, below a writable folder of the container. Mount points are made in that. */
export function imageRoot(
  options: ImageRootOptions,
): Pick<NonNullable<SandboxJob['container']>, 'root' | 'overlay' | 'mounts'> {
  const { image, directory, scratch, userNamespace: recursive } = options;
  const root = join(directory, 'root');
  mkdirSync(root, { mode: 0o755 });
  const writable = statfsSync(scratch).type === overlayType ? directory : scratch;
  const [upper, work] = [join(writable, 'upper'), join(writable, 'work')];
  for (const folder of [upper, work]) mkdirSync(folder, { mode: 0o755 });
  const mounts = options.mounts.flatMap(
    ({ hostPath: source, descriptor, covered = [], containerPath: target, readOnly, ...mount }): SandboxMount[] => [
      layeredMount({ ...mount, hostPath: source, containerPath: target, readOnly }, target, recursive) ?? {
        kind: 'bind',
        source,
        ...(descriptor === undefined ? {} : { descriptor }),
        target,
        readOnly,
        recursive,
        makePoint: true,
      },
      ...covered.map((path): SandboxMount => ({ kind: 'cover', target: join(target, path) })),
    ],
  );
  return { root, overlay: { layers: image.layers, upper, work }, mounts };
}
