import type { Command } from 'commander';
import { addClusterOptions, collect } from '../option-values.ts';

/** The commands that work on manifests. Their modules are loaded when they run. */
export function addManifestCommands(tektite: Command): void {
  const withSources = (command: Command, required = true) =>
    command[required ? 'requiredOption' : 'option'](
      '-f, --file <source>',
      'a file, a folder, a URL, or - for standard input; kustomizations and Helm charts are rendered; repeatable',
      collect,
      [],
    )
      .option('-n, --namespace <name>', 'the namespace of objects that name none', 'default')
      .option('-l, --selector <selector>', 'only objects with these labels')
      .option('--into-namespace <name>', 'move all objects, and the references to them, into this namespace')
      .option('--registry <host/prefix>', 'pull all images from this registry')
      .option('--image <name=reference>', 'replace an image', collect, [])
      .option('--label <name=value>', 'add a label to all objects', collect, [])
      .option('--release <name>', 'the name of the release, for Helm charts')
      .option('--strict', 'fail when two sources have the same object');

  const applying = (command: Command, asSet = true) =>
    (asSet
      ? command.option(
          '--set <name>',
          'apply as a set of this name: objects that left the set since the last apply are pruned',
        )
      : command
    )
      .option('--no-prune', 'do not delete objects that left the set')
      .option('--prune-kind <kind>', 'also prune a kind that holds data: PersistentVolumeClaim', collect, [])
      .option('--field-manager <name>', 'the field manager that owns the applied fields', 'tektite')
      .option('--force-conflicts', 'take ownership of conflicting fields')
      .option('--force-field <path>', 'take ownership of this field only: .spec.replicas', collect, [])
      .option(
        '--recreate <kind>',
        'delete and create objects of this kind again when they cannot be updated',
        collect,
        [],
      )
      .option('--concurrency <number>', 'how many objects of a phase to apply at a time', '4')
      .option('--keep-going', 'continue with other objects after a failure');

  withSources(tektite.command('render'))
    .description('print the objects of manifests after all transformations, without a cluster')
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
    .description('show the exact diff of an apply, computed on an in-memory copy of the live objects')
    .option('--out <file>', 'write the plan for `tektite apply --plan`; it contains the values of Secrets')
    .option('--full', 'show created and deleted objects in full')
    .option('--ignore <pointer>', 'ignore changes of this field: /spec/replicas', collect, [])
    .option('--server-dry-run', 'use server-side dry runs instead: webhooks are called, objects of new kinds fail')
    .option('-o, --output <form>', 'text or json', 'text')
    .addHelpText(
      'after',
      `
The exit code is 0 when nothing would change, 2 when something would, and 1 when it cannot be applied: an error in the
manifests, a conflict with another field manager, a change that needs --recreate.

Examples:
  $ tektite plan -f release.yaml --set tekton -n tekton-pipelines
  $ tektite plan -f deploy/ --out plan.json && tektite apply --plan plan.json`,
    )
    .action(async (options) => (await import('../commands/plan.ts')).plan(options));

  addClusterOptions(applying(withSources(tektite.command('apply'), false)))
    .description('apply manifests in phases: definitions first, prune last; --wait until all is ready')
    .option('--wait', 'wait until everything is ready')
    .option('--timeout <duration>', 'how long to wait', '5m')
    .option(
      '--health <file>',
      'readiness rules for kinds of your own: a list of {apiVersion, kind, current, failed, inProgress}',
    )
    .option('--dry-run', 'server-side dry run: nothing is persisted')
    .option('--plan <file>', 'apply a plan of `tektite plan --out`; fails when the live objects have changed since')
    .option('-o, --output <form>', 'text, or json for one JSON event per line', 'text')
    .addHelpText(
      'after',
      `
Objects are applied server-side: fields of other managers stay, and a conflict is an error that names the field and its manager.
The exit code is 0 when everything was applied, 1 when something failed, and 2 when the manifests cannot be read.

Examples:
  $ tektite apply -f deploy/ --wait
  $ tektite apply -f https://example.com/release.yaml --set tekton -n tekton-pipelines
                                                 the next apply prunes what the release no longer has
  $ tektite apply -f job.yaml --recreate Job     the template of a Job is immutable`,
    )
    .action(async (options) => (await import('../commands/apply.ts')).apply(options));

  // With a subcommand: its sources are checked when it runs, so that `delete run` needs none.
  const deletion = addClusterOptions(withSources(tektite.command('delete'), false))
    .description('delete the objects of manifests, in the reverse order of apply; or runs')
    .option('--cascade <how>', 'deletion propagation: background, foreground or orphan', 'background')
    .option('--no-wait', 'do not wait until the objects are deleted')
    .option('--timeout <duration>', 'how long to wait for the deletion', '1m')
    .option('--namespaces', 'also delete Namespaces, with everything in them')
    .option('--force-finalizer <name>', 'remove this finalizer from objects that are not deleted in time', collect, [])
    .option('--dry-run', 'server-side dry run: nothing is deleted')
    .option('-o, --output <form>', 'text, or json for one JSON event per line', 'text')
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
    .description('wait until the objects of manifests are ready, or deleted')
    .option('--for <condition>', 'ready or delete', 'ready')
    .option('--timeout <duration>', 'how long', '5m')
    .option(
      '--health <file>',
      'readiness rules for kinds of your own: a list of {apiVersion, kind, current, failed, inProgress}',
    )
    .option('-o, --output <form>', 'text, or json for one JSON event per line', 'text')
    .addHelpText(
      'after',
      `
The exit code is 0 when all are, 1 when one failed or the timeout passed, and 2 when the manifests cannot be read.
--health defines readiness for kinds of your own, in CEL expressions over metadata, spec and status:

  - apiVersion: example.com/v1
    kind: Database
    current: status.phase == 'Running'
    failed: status.phase == 'Lost'

Examples:
  $ tektite wait -f deploy/ --timeout 2m
  $ tektite wait -f deploy/ --for delete`,
    )
    .action(async (options) => (await import('../commands/wait.ts')).wait(options));

  addClusterOptions(tektite.command('history'))
    .description('list the revisions of a set: age, objects, changes, sources')
    .argument('<set>', 'its name')
    .option('-n, --namespace <name>', 'the namespace of the set', 'default')
    .option('--show <revision>', 'print the objects of this revision; values of Secrets are not stored')
    .option('-o, --output <form>', 'text or json; with --show yaml or json', 'text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ tektite history tekton -n tekton-pipelines\n  $ tektite history tekton --show 3',
    )
    .action(async (name, options) => (await import('../commands/history.ts')).history(name, options));

  addClusterOptions(applying(tektite.command('rollback'), false))
    .description('apply an earlier revision of a set again')
    .argument('<set>', 'its name')
    .option('-n, --namespace <name>', 'the namespace of the set', 'default')
    .option('--to <revision>', 'the revision to apply; default: the one before the last')
    .option('--wait', 'wait until everything is ready')
    .option('--timeout <duration>', 'how long to wait', '5m')
    .option(
      '--health <file>',
      'readiness rules for kinds of your own: a list of {apiVersion, kind, current, failed, inProgress}',
    )
    .option('--dry-run', 'server-side dry run: nothing is persisted')
    .option('-o, --output <form>', 'text, or json for one JSON event per line', 'text')
    .addHelpText(
      'after',
      `
Objects that the revision does not have are pruned. Secrets keep their live values, which are not in the history.

Examples:
  $ tektite history tekton -n tekton-pipelines
  $ tektite rollback tekton -n tekton-pipelines --to 3 --wait`,
    )
    .action(async (name, options) => (await import('../commands/rollback.ts')).rollback(name, options));
}
