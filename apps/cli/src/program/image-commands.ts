import { type Command, Option } from 'commander';
import { outputOption } from '../option-values.ts';

/** The commands about the images of containers. Their modules are loaded when they run. */
export function addImageCommands(tektite: Command): void {
  const image = tektite
    .command('image')
    .description('manage the images that containers of this machine run from')
    .addHelpText(
      'after',
      `
Images are kept unpacked in one folder that all commands of this user share: $XDG_CACHE_HOME/tektite/images or
~/.cache/tektite/images. Logins are those of \`docker login\`: ~/.docker/config.json and its credential helpers.

Examples:
  $ tektite image pull busybox:1.36              download an image before it is needed
  $ tektite image list                           show what is there, and what it takes
  $ docker save app:dev | tektite image load -   use an image that was built on this machine
  $ tektite image prune --older-than 168h        remove what was not used for a week`,
    );

  addStoreOptions(image.command('pull <name...>'))
    .description('pull images from registries into the image store')
    .option('--platform <os/architecture>', 'the platform, as linux/arm64; default: that of this machine')
    .addOption(
      new Option('--policy <policy>', 'Always asks the registry for a newer image of the name')
        .choices(['Always', 'IfNotPresent'])
        .default('Always'),
    )
    .addOption(registriesOption())
    .addOption(outputOption(['text', 'json'], 'text or json'))
    .addHelpText(
      'after',
      `
A download that was cut continues where it ended, also in a later command.

The file of --registries:
  {
    "mirrors": { "docker.io": ["https://mirror.example"] },   asked first, with logins for their own names
    "insecure": ["registry.example:5000"]                     may speak plain HTTP
  }
Registries of this machine and of private networks may always speak plain HTTP.

Examples:
  $ tektite image pull busybox:1.36 alpine/git
  $ tektite image pull ghcr.io/me/app@sha256:0123…
  $ tektite image pull --platform linux/arm64 node:22 -o json`,
    )
    .action(async (names, options) => (await import('../commands/image-pull.ts')).imagePull(names, options));

  addStoreOptions(image.command('load <file...>'))
    .description('load images from archives: of docker save, or OCI image layouts, as tar files or folders')
    .option('--name <name>', 'the name of the image, instead of the one in the archive')
    .option('--platform <os/architecture>', 'the platform to load; default: that of this machine')
    .addOption(outputOption(['text', 'json'], 'text or json'))
    .addHelpText(
      'after',
      `
A file named - is standard input. Tar files may be compressed with gzip.

Examples:
  $ tektite image load app.tar
  $ docker save app:dev | tektite image load -
  $ buildah push app:dev oci:./app && tektite image load ./app --name app:dev`,
    )
    .action(async (files, options) => (await import('../commands/image-load.ts')).imageLoad(files, options));

  addStoreOptions(image.command('save <name...>'))
    .description('write images as one OCI image layout in a tar file')
    .option('-f, --file <file>', 'the file to write; default: standard output')
    .addHelpText(
      'after',
      `
The archive can be read by tektite image load, docker load, podman load and skopeo. The same images give the same bytes.

Examples:
  $ tektite image save busybox:1.36 -f busybox.tar
  $ tektite image save app:dev | ssh build-box tektite image load -`,
    )
    .action(async (names, options) => (await import('../commands/image-save.ts')).imageSave(names, options));

  addStoreOptions(image.command('list'))
    .alias('ls')
    .description('list the images of the store, the most recently used first')
    .addOption(outputOption(['text', 'json', 'name'], 'text, json or name'))
    .addHelpText(
      'after',
      `
SIZE is that of the compressed layers, ON DISK that of blobs and unpacked layers; images may share both.

Examples:
  $ tektite image list
  $ tektite image list -o json`,
    )
    .action(async (options) => (await import('../commands/image-list.ts')).imageList(options));

  addStoreOptions(image.command('rm <name...>'))
    .description('remove names from the store, and an image with its last name')
    .addHelpText(
      'after',
      `
A digest removes the image with all its names. Images of running containers stay: the command fails and names them.

Examples:
  $ tektite image rm busybox:1.36
  $ tektite image rm sha256:0123…`,
    )
    .action(async (names, options) => (await import('../commands/image-remove.ts')).imageRemove(names, options));

  addStoreOptions(image.command('prune'))
    .description('remove images that were not used for long, and downloads that were given up')
    .option('--older-than <duration>', 'images that were not used for longer, as 168h')
    .option('--max-size <size>', 'the least recently used images, until the store takes no more than this, as 10GB')
    .option('--all', 'all images that no container uses')
    .addOption(outputOption(['text', 'json'], 'text or json'))
    .addHelpText(
      'after',
      `
Images of running containers always stay.

Examples:
  $ tektite image prune --older-than 168h
  $ tektite image prune --max-size 10GB
  $ tektite image prune --all`,
    )
    .action(async (options) => (await import('../commands/image-prune.ts')).imagePrune(options));
}

function addStoreOptions(command: Command): Command {
  return command.option('--store <folder>', 'the folder of the image store; default: ~/.cache/tektite/images');
}

function registriesOption(): Option {
  return new Option(
    '--registries <file>',
    'mirrors and insecure registries; default: ~/.config/tektite/registries.json, if it exists',
  );
}
