import type { Command } from 'commander';

interface Common {
  readonly collect: (value: string, before: readonly string[]) => readonly string[];
  readonly dataDir: string;
}

/** The commands that work on manifests. Their modules are loaded when they run. */
export function addManifestCommands(tektite: Command, { collect, dataDir }: Common): void {
  const onCluster = (command: Command) =>
    command
      .option('--kubeconfig <file>', 'which cluster; default: $KUBECONFIG, or the control plane of this machine')
      .option('--context <name>', 'the context of the kubeconfig')
      .option('--data-dir <dir>', 'the data folder of the control plane of this machine', dataDir);

  const withSources = (command: Command) =>
    command
      .requiredOption(
        '-f, --file <source>',
        'a file, a folder, a URL, or - for standard input; folders of kustomize and Helm charts are rendered; several times for several',
        collect,
        [],
      )
      .option('-n, --namespace <name>', 'the namespace of objects that name none', 'default')
      .option('-l, --selector <selector>', 'only objects with these labels')
      .option('--into-namespace <name>', 'move all objects, and what refers to them, into this namespace')
      .option('--registry <host/prefix>', 'take all images from this registry')
      .option('--image <name=reference>', 'replace an image', collect, [])
      .option('--label <name=value>', 'add a label to all objects', collect, [])
      .option('--release <name>', 'the name of the release, for Helm charts')
      .option('--strict', 'the same object twice is an error');

  const applying = (command: Command) =>
    command
      .option('--set <name>', 'the objects are a set of this name: what left it since the last time is deleted')
      .option('--no-prune', 'do not delete what left the set')
      .option('--prune-kind <kind>', 'also prune this kind, though it holds data: PersistentVolumeClaim', collect, [])
      .option('--field-manager <name>', 'who owns the fields', 'tektite')
      .option('--force-conflicts', 'take over fields that others own')
      .option('--force-field <path>', 'take over this field, as .spec.replicas', collect, [])
      .option('--recreate <kind>', 'delete and make anew objects of this kind where nothing else helps', collect, [])
      .option('--concurrency <number>', 'objects of a phase at a time', '4')
      .option('--keep-going', 'go on with other objects after a failure');

  withSources(tektite.command('render'))
    .description('print the objects of sources, after all changes; asks no cluster')
    .option('-o, --output <form>', 'yaml or json', 'yaml')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite render -f overlays/staging
  $ tektite render -f release.yaml --into-namespace ci --registry registry.example.com/mirror`,
    )
    .action(async (options) => (await import('../commands/render.ts')).render(options));

  onCluster(applying(withSources(tektite.command('apply'))))
    .description('make a cluster have what sources say, phase by phase')
    .option('--wait', 'wait until everything is ready')
    .option('--timeout <duration>', 'how long to wait', '5m')
    .option('--dry-run', 'let the server do everything but keep the result')
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .addHelpText(
      'after',
      `
Objects are applied server-side: fields that others own are not touched, and a conflict is an error that names field and owner.
The exit code is 0 when everything was applied, 1 when something failed, and 2 when the sources cannot be understood.

Examples:
  $ tektite apply -f deploy/ --wait
  $ tektite apply -f https://example.com/release.yaml --set tekton -n tekton-pipelines
                                                 next time, what the release no longer has is deleted
  $ tektite apply -f job.yaml --recreate Job     a Job's template cannot be changed`,
    )
    .action(async (options) => (await import('../commands/apply.ts')).apply(options));

  onCluster(withSources(tektite.command('delete')))
    .description('delete what sources say, in the reverse order of apply')
    .option('--cascade <how>', 'what becomes of dependents: background, foreground or orphan', 'background')
    .option('--no-wait', 'do not wait until objects are gone')
    .option('--timeout <duration>', 'how long objects may take to go', '1m')
    .option('--namespaces', 'also delete Namespaces, with all that is in them')
    .option('--force-finalizer <name>', 'take this finalizer off objects that do not go by themselves', collect, [])
    .option('--dry-run', 'let the server do everything but delete')
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite delete -f deploy/
  $ tektite delete -f release.yaml --namespaces`,
    )
    .action(async (options) => (await import('../commands/delete.ts')).deleteObjects(options));

  onCluster(withSources(tektite.command('wait')))
    .description('wait until the objects of sources are ready, or gone')
    .option('--for <what>', 'ready or gone', 'ready')
    .option('--timeout <duration>', 'how long', '5m')
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .addHelpText(
      'after',
      `
The exit code is 0 when all are, 1 when one failed or it took too long, and 2 when the sources cannot be understood.

Examples:
  $ tektite wait -f deploy/ --timeout 2m
  $ tektite wait -f deploy/ --for gone`,
    )
    .action(async (options) => (await import('../commands/wait.ts')).wait(options));
}
