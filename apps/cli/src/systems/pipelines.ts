import { constants, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { System } from '@tektite/controller';
import { findImage, type ImageMapping, type MappedImage } from '@tektite/node';
import type { SystemSettings } from './system-settings.ts';
import { wantsTraces } from '../observe/wants-traces.ts';
import {
  entrypointMissing,
  entrypointProgram,
  pipelinesSystem,
  type PodImages,
  type SendTraces,
} from '@tektite/pipelines';

/** The images of Tekton's own containers, by the names under which this machine stands in for them. */
const images: PodImages = {
  entrypoint: 'tektite.dev/entrypoint',
  nop: 'tektite.dev/nop',
  sidecarLogResults: 'tektite.dev/sidecarlogresults',
  workingDirInit: 'tektite.dev/workingdirinit',
  shell: 'tektite.dev/shell',
  shellWindows: 'tektite.dev/shell-windows',
};

/** The image of init containers that run a script: the shell is this machine's own. */
export const shellImage: string = images.shell;

/** Where an operator put the settings, all into one namespace; the usual ones otherwise. */
const namespace = process.env.SYSTEM_NAMESPACE;

export const pipelines: System = pipelinesFor({});

/** Where a release of Pipelines is installed: a process there reads all settings from the namespace that it is told. */
export function pipelinesIn(namespace: string): System {
  return pipelinesSystem({ images, namespace, resolversNamespace: namespace });
}

/** Tekton Pipelines where some images are mapped or are in the image store: their commands are not asked of a registry. */
export function pipelinesFor(settings: SystemSettings): System {
  const mapping = settings.imageMapping ?? {};
  return pipelinesSystem({
    images: imagesOf(settings),
    imageCommand: (image, hasArguments) => commandOf(findImage(mapping, image), hasArguments),
    storedCommand: async (image, hasArguments) => {
      const { storedConfig } = await import('../image/stored-config.ts');
      return commandOf((await storedConfig(image)) ?? {}, hasArguments);
    },
    sendTraces,
    ...(namespace ? { namespace, resolversNamespace: namespace } : {}),
  });
}

/** The variables of OpenTelemetry go before `config-tracing`: they are said for this process. */
async function sendTraces(target: Parameters<SendTraces>[0]): Promise<void> {
  if (wantsTraces()) return;
  const { exportTraces, timeoutMillis } = await import('../observe/trace-export.ts');
  await exportTraces(target && { ...target, timeoutMillis });
}

/** The image of the entrypoint may have the other programs too, as that of a release has. */
function imagesOf(settings: SystemSettings): PodImages {
  const { entrypointImage: entrypoint, shellImageWin: shellWindows = images.shellWindows } = settings;
  return {
    entrypoint: entrypoint ?? images.entrypoint,
    nop: settings.nopImage ?? entrypoint ?? images.nop,
    sidecarLogResults: settings.sidecarlogresultsImage ?? entrypoint ?? images.sidecarLogResults,
    workingDirInit: settings.workingdirinitImage ?? entrypoint ?? images.workingDirInit,
    shell: settings.shellImage ?? images.shell,
    ...(shellWindows === undefined ? {} : { shellWindows }),
  };
}

function commandOf(
  { entrypoint = [], cmd = [] }: Pick<MappedImage, 'entrypoint' | 'cmd'>,
  hasArguments: boolean,
): readonly string[] | undefined {
  const command = [...entrypoint, ...(hasArguments && entrypoint.length > 0 ? [] : cmd)];
  return command.length > 0 ? command : undefined;
}

const programs = ['entrypoint', 'nop', 'workingdirinit', 'sidecarlogresults'];

/**
 * A folder that stands in for Tekton's images: one static program under all the names by which it is called there. The shell
 * is the machine's own. Nothing, and a word about it, where the program was not compiled.
 */
export async function pipelinesImages(folder: string, note: (text: string) => void): Promise<ImageMapping> {
  const program = entrypointProgram();
  if (program === undefined) {
    note(entrypointMissing);
    return {};
  }
  const root = join(folder, 'images', 'tekton');
  await mkdir(join(root, 'ko-app'), { recursive: true });
  await Promise.all(programs.map((name) => copyFile(program, join(root, 'ko-app', name), constants.COPYFILE_FICLONE)));
  const { shell: _, shellWindows: __, ...own } = images;
  const mapped = Object.values(own).map((image) => {
    const name = image.slice(image.lastIndexOf('/') + 1);
    // Affinity assistants name no command.
    return [image, { root, entrypoint: [`/ko-app/${name}`] }] as const;
  });
  return Object.fromEntries(mapped);
}
