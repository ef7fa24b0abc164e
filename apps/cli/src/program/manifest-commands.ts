import type { Command } from 'commander';
import { addClusterOptions, collect } from './option-values.ts';

/** The commands that work on manifests. Their modules are loaded when they run. */
export function addManifestCommands(tektite: Command): void {
  const withSources = (command: Command, required = true) =>
    command[required ? 'requiredOption' : 'option'](
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

  const applying = (command: Command, asSet = true) =>
    (asSet
      ? command.option(
          '--set <name>',
          'the objects are a set of this name: what left it since the last time is deleted',
        )
      : command
    )
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

  addClusterOptions(applying(withSources(tektite.command('plan'))))
    .description('show what apply would do, exactly: it is done on a copy of the live objects, in memory')
    .option('--out <file>', 'keep the plan, for `tektite apply --plan`; holds the values of Secrets')
    .option('--full', 'show all of what is created and deleted')
    .option('--ignore <pointer>', 'a field whose changes do not count, as /spec/replicas', collect, [])
    .option(
      '--server-dry-run',
      'ask the cluster instead, object by object: its webhooks, too, but nothing that is yet to come',
    )
    .option('-o, --output <form>', 'text or json', 'text')
    .addHelpText(
      'after',
      `
The exit code is 0 when nothing would change, 2 when something would, and 1 when that cannot be known or applied: a mistake in the
sources, a conflict with another field manager, a change that needs --recreate.

Examples:
  $ tektite plan -f release.yaml --set tekton -n tekton-pipelines
  $ tektite plan -f deploy/ --out plan.json && tektite apply --plan plan.json`,
    )
    .action(async (options) => (await import('../commands/plan.ts')).plan(options));

  addClusterOptions(applying(withSources(tektite.command('apply'), false)))
    .description('make a cluster have what sources say, phase by phase')
    .option('--wait', 'wait until everything is ready')
    .option('--timeout <duration>', 'how long to wait', '5m')
    .option(
      '--health <file>',
      'says when objects of some kinds are ready, as a list of {apiVersion, kind, current, failed, inProgress}',
    )
    .option('--dry-run', 'let the server do everything but keep the result')
    .option(
      '--plan <file>',
      'apply what was planned, with the options of the plan; refuses when the cluster moved since',
    )
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

  // With a subcommand: its sources are checked when it runs, so that `delete run` needs none.
  const deletion = addClusterOptions(withSources(tektite.command('delete'), false))
    .description('delete the objects of manifests, in the reverse order of apply; or runs')
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
  $ tektite delete -f release.yaml --namespaces
  $ tektite delete run hello-x7k2p`,
    )
    .action(async (options) => (await import('../commands/delete.ts')).deleteObjects(options));
  addClusterOptions(deletion.command('run').alias('runs'))
    .description('delete PipelineRuns and TaskRuns with their Pods and logs')
    .argument('[run...]', 'the names of runs: NAME, pipelinerun/NAME or taskrun/NAME')
    .option('-n, --namespace <name>', 'the namespace of the runs', 'default')
    .option('--last', 'the newest run of the namespace')
    .option('--completed', 'all runs that have completed')
    .option('-l, --selector <selector>', 'with --completed: only runs with these labels')
    .option('--keep <number>', 'with --completed: keep this many of the newest')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite delete run hello-x7k2p
  $ tektite delete run --completed --keep 10 -n ci`,
    )
    .action(async (names, options) => (await import('../commands/delete-runs.ts')).deleteRuns(names, options));

  addClusterOptions(withSources(tektite.command('wait')))
    .description('wait until the objects of sources are ready, or gone')
    .option('--for <what>', 'ready or gone', 'ready')
    .option('--timeout <duration>', 'how long', '5m')
    .option(
      '--health <file>',
      'says when objects of some kinds are ready, as a list of {apiVersion, kind, current, failed, inProgress}',
    )
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .addHelpText(
      'after',
      `
The exit code is 0 when all are, 1 when one failed or it took too long, and 2 when the sources cannot be understood.
With --health, a YAML file says what ready means for kinds of your own, in expressions (CEL) over metadata, spec and status:

  - apiVersion: example.com/v1
    kind: Database
    current: status.phase == 'Running'
    failed: status.phase == 'Lost'

Examples:
  $ tektite wait -f deploy/ --timeout 2m
  $ tektite wait -f deploy/ --for gone`,
    )
    .action(async (options) => (await import('../commands/wait.ts')).wait(options));

  addClusterOptions(tektite.command('history'))
    .description('show what was applied as a set, and when')
    .argument('<set>', 'its name')
    .option('-n, --namespace <name>', 'the namespace of the set', 'default')
    .option('--show <revision>', 'print what was applied at this revision; values of Secrets are not kept')
    .option('-o, --output <form>', 'text or json; with --show yaml or json', 'text')
    .action(async (name, options) => (await import('../commands/history.ts')).history(name, options));

  addClusterOptions(applying(tektite.command('rollback'), false))
    .description('apply an earlier revision of a set again')
    .argument('<set>', 'its name')
    .option('-n, --namespace <name>', 'the namespace of the set', 'default')
    .option('--to <revision>', 'which one; default: the one before the last')
    .option('--wait', 'wait until everything is ready')
    .option('--timeout <duration>', 'how long to wait', '5m')
    .option(
      '--health <file>',
      'says when objects of some kinds are ready, as a list of {apiVersion, kind, current, failed, inProgress}',
    )
    .option('--dry-run', 'let the server do everything but keep the result')
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .addHelpText(
      'after',
      `
What the set has now and had not then is deleted. Secrets keep the values that they have: values are not in the history.

Examples:
  $ tektite history tekton -n tekton-pipelines
  $ tektite rollback tekton -n tekton-pipelines --to 3 --wait`,
    )
    .action(async (name, options) => (await import('../commands/rollback.ts')).rollback(name, options));
}
