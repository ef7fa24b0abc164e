import { ContainerStartError } from '../runtime/container-start-error.ts';

/** The replacement of an image where no images are run. */
export interface MappedImage {
  /** A folder to use as root instead of the machine's. Read-only, like that. */
  readonly root?: string;
  /** A program of this machine that stands for `/bin/sh` and `/bin/ash` in the container, such as busybox. */
  readonly shell?: string;
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `UID` or `UID:GID`. */
  readonly user?: string;
  readonly workdir?: string;
}

/** By name of the image: as the Pod writes it, without the tag or digest, or by its last part. */
export type ImageMapping = Readonly<Record<string, MappedImage>>;

export function findImage(images: ImageMapping, image: string): MappedImage {
  const untagged = image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  for (const name of [image, untagged, untagged.split('/').at(-1) ?? ''])
    if (Object.hasOwn(images, name)) return images[name] as MappedImage;
  return {};
}

/** The command line: of the Pod, else of the image. */
export function commandLine(
  image: string,
  mapped: MappedImage,
  { command, args }: { readonly command: readonly string[]; readonly args: readonly string[] },
): string[] {
  // As engines do: a command of the Pod's own drops the image's arguments too.
  const entrypoint = command.length > 0 ? command : (mapped.entrypoint ?? []);
  const cmd = args.length > 0 || command.length > 0 ? args : (mapped.cmd ?? []);
  const line = [...entrypoint, ...cmd];
  if (line.length > 0 && (command.length > 0 || entrypoint.length > 0 || mapped.cmd)) return line;
  throw new ContainerStartError(
    'CreateContainerError',
    `no command specified: containers run as processes of this machine here, and what the image ${JSON.stringify(image)} would start is not known. Set the container's command, or say what the image is on this machine (tektite up --images FILE, with a line ${JSON.stringify(image)}: {entrypoint: [...]} in it), or use a runtime that runs images`,
  );
}
