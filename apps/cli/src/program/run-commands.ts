import type { Command } from 'commander';
import { addClusterOptions, collect, outputOption } from '../option-values.ts';

/** The commands about tasks and pipelines. Their modules are loaded when they run. */
export function addRunCommands(tektite: Command): void {
  tektite
    .command('run')
    .description(
      'run a PipelineRun or TaskRun, or a Pipeline or Task, to its end: on this machine unless a cluster is named',
    )
    .argument('[file...]', 'what to run: files, folders, URLs, or - for standard input')
    .option('-f, --file <file>', 'the same, as kubectl writes it; several times for several', collect, [])
    .option('--name <name>', 'which Task, Pipeline or run, where the files have several')
    .option('--only <task>', 'run this task of the Pipeline alone; several times for several', collect, [])
    .option('-p, --param <name=value>', 'a parameter; lists and objects as JSON', collect, [])
    .option(
      '-w, --workspace <name=what>',
      'a workspace: emptyDir, a folder as ./here, claim:NAME[/SUBPATH], configMap:NAME or secret:NAME',
      collect,
      [],
    )
    .option('--env <name=value>', 'an environment variable of all steps', collect, [])
    .option('--secret <name=file>', 'a Secret made of a file or folder, or NAME/KEY=FILE', collect, [])
    .option('--event <type>', 'the event for files of Pipelines-as-Code: push or pull_request; default: by the branch')
    .option('-n, --namespace <name>', 'the namespace of objects that name none', 'default')
    .option('--serviceaccount <name>', 'the service account that it runs as')
    .option('--timeout <duration>', 'how long it may take, as 10m or 1h30m')
    .option('--kubeconfig <file>', 'run it on this cluster')
    .option('--context <name>', 'run it on the cluster of this context of the kubeconfig')
    .option('--runtime <name>', 'how steps run: auto, images, host or simulated, as in `tektite up --help`', 'auto')
    .option('--images <file>', 'YAML that maps images to folders and programs of this machine')
    .option('--network <name>', 'the network of steps: pods, host or auto, as in `tektite up --help`', 'host')
    .option('--watch', 'run again when a file changes, of what is run or of a workspace folder')
    .option('--keep', 'keep the folder with logs, volumes and objects of the run')
    .option(
      '--report <kind=file>',
      'a report for CI: junit=FILE, markdown=FILE, html=FILE, or github for annotations',
      collect,
      [],
    )
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .addHelpText(
      'after',
      `
The exit code is 0 when it succeeded, 1 when it failed, 2 for errors of usage and in files, and 130 after Ctrl-C.

Examples:
  $ tektite run task.yaml -p who=world
  $ tektite run pipeline.yaml -w source=.         work on the files of this folder
  $ tektite run pipeline.yaml --only test         one task of a pipeline
  $ tektite run .tekton/                          the runs of Pipelines-as-Code for the current branch
  $ cat taskrun.yaml | tektite run -f -`,
    )
    .action(async (files, options) => (await import('../commands/run.ts')).run(files, options));

  tektite
    .command('trigger')
    .description('send one event through Triggers of files: what interceptors answer, which values, what is created')
    .option(
      '-f, --file <file>',
      'EventListeners, Triggers, bindings, templates, Secrets; several times for several',
      collect,
      [],
    )
    .requiredOption('-d, --data <event>', 'the event: a file, JSON, or - for standard input')
    .option('-H, --header <name: value>', 'a header of the event; several times for several', collect, [])
    .option('--listener <name>', 'only this EventListener')
    .option('--url <path>', 'the path and query of the request', '/')
    .option('-n, --namespace <name>', 'the namespace of objects that name none', 'default')
    .option('--run', 'run what is created to its end, on this machine')
    .option('-o, --output <form>', 'text; json for everything; yaml for the created objects alone', 'text')
    .addHelpText(
      'after',
      `
The exit code is 0 when something is created, 1 when nothing is, and 2 for errors of usage and in files. No cluster is asked.

Examples:
  $ tektite trigger -f triggers.yaml -d push.json -H 'X-GitHub-Event: push'
  $ tektite trigger -f triggers.yaml -d '{"ref": "refs/heads/main"}' -o yaml
  $ tektite trigger -f triggers.yaml -f pipeline.yaml -d push.json --run`,
    )
    .action(async (options) => (await import('../commands/trigger.ts')).trigger(options));

  const forRun = (command: Command) =>
    addClusterOptions(command.option('-n, --namespace <name>', 'the namespace of the run', 'default'));
  const oneRun = (command: Command) =>
    forRun(command.argument('[run]', 'the name of the run: NAME, pipelinerun/NAME or taskrun/NAME')).option(
      '--last',
      'the newest run of the namespace',
    );

  forRun(tektite.command('list').alias('ls'))
    .description('list PipelineRuns and TaskRuns, the newest first, with their status, age and duration')
    .argument('[kind]', 'only this kind: pipelinerun or taskrun')
    .option('-A, --all-namespaces', 'list the runs of all namespaces')
    .option('-l, --selector <selector>', 'only runs with these labels: team=web,env!=prod')
    .option('--status <state>', 'only runs that are waiting, running, succeeded, failed or cancelled')
    .option('--limit <number>', 'at most this many')
    .option('--tasks', 'list the TaskRuns of PipelineRuns, too')
    .option('--archived', 'list what the system results has archived, also deleted runs')
    .addOption(outputOption(['text', 'wide', 'json', 'name'], 'text; wide adds the reference and the message'))
    .addHelpText(
      'after',
      `
Examples:
  $ tektite list                                 the runs of the namespace default
  $ tektite list -A --status failed --limit 5    the last five failures of all namespaces
  $ tektite list -l app=shop -o wide
  $ tektite list --archived -l app=shop          with those that were deleted`,
    )
    .action(async (kind, options) => (await import('../commands/list.ts')).list(kind, options));

  oneRun(tektite.command('logs'))
    .description('print the logs of the steps of a run, from the archive if it was deleted')
    .option('-f, --follow', 'follow a run that has not completed, until it has')
    .option('--task <name>', 'only this task of the pipeline')
    .option('--step <name>', 'only this step')
    .option('--since <duration>', 'only lines newer than this: 30s, 5m, 1h')
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite logs hello-x7k2p                     the logs of a run, with its end
  $ tektite logs --last -f                       follow the newest run
  $ tektite logs --last --task build --step test --since 5m`,
    )
    .action(async (run, options) => (await import('../commands/logs.ts')).logs(run, options));

  oneRun(tektite.command('describe'))
    .description('show the params, status, tasks, steps and results of a run, also one that was archived and deleted')
    .option('-o, --output <form>', 'text, or json for the tree of its tasks and steps', 'text')
    .addHelpText('after', '\nExamples:\n  $ tektite describe hello-x7k2p\n  $ tektite describe --last -n ci')
    .action(async (run, options) => (await import('../commands/describe.ts')).describe(run, options));

  oneRun(tektite.command('attest'))
    .description('print the provenance of a completed run: the one that it carries, or the one that Chains would make')
    .option('--format <format>', 'create it in this format: in-toto, slsa/v1, slsa/v2alpha3 or slsa/v2alpha4')
    .option('-o, --output <form>', 'statement, or envelope for the signed one', 'statement')
    .addHelpText(
      'after',
      '\nExamples:\n  $ tektite attest --last\n  $ tektite attest build-x7k2p --format slsa/v2alpha4',
    )
    .action(async (run, options) => (await import('../commands/attest.ts')).attest(run, options));

  oneRun(tektite.command('verify-attestation'))
    .description('verify that the provenance of a run, or of an image by its digest, is signed with a key')
    .option('--key <file>', 'the public key in PEM, such as cosign.pub (default: that of the cluster)')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite verify-attestation --last
  $ tektite verify-attestation registry.example/shop/web@sha256:1f… --key cosign.pub`,
    )
    .action(async (subject, options) =>
      (await import('../commands/verify-attestation.ts')).verifyAttestation(subject, options),
    );

  oneRun(tektite.command('cancel'))
    .description('cancel a run')
    .option(
      '--mode <mode>',
      'now; for PipelineRuns also run-finally (cancel tasks, run final tasks) or stop (start no more tasks, run final tasks)',
      'now',
    )
    .addHelpText('after', '\nExamples:\n  $ tektite cancel --last\n  $ tektite cancel hello-x7k2p --mode run-finally')
    .action(async (run, options) => (await import('../commands/cancel.ts')).cancel(run, options));

  oneRun(tektite.command('rerun'))
    .description('create a run again and follow it, with other params or only for the tasks that did not succeed')
    .option('-p, --param <name=value>', 'replace a param; arrays and objects as JSON', collect, [])
    .option('--from-failed', 'skip the tasks that succeeded and use their results')
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite rerun --last --from-failed           continue where the newest run failed
  $ tektite rerun hello-x7k2p -p who=Ada         the same run with another param`,
    )
    .action(async (run, options) => (await import('../commands/rerun.ts')).rerun(run, options));

  forRun(tektite.command('graph'))
    .description('draw which tasks of a pipeline wait for which')
    .argument('[run]', 'the name of a PipelineRun; or a file, a folder, a URL, or - with Pipelines')
    .option('-f, --file <file>', 'a file, a folder, a URL, or - for standard input', collect, [])
    .option('-o, --output <form>', 'text, mermaid or svg', 'text')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite graph pipeline.yaml
  $ tektite graph hello-x7k2p                    a run, with states and times
  $ tektite graph pipeline.yaml -o svg > pipeline.svg`,
    )
    .action(async (run, options) => (await import('../commands/graph.ts')).graph(run, options));

  tektite
    .command('sign')
    .description('sign Tasks and Pipelines for a VerificationPolicy')
    .requiredOption('-f, --file <file>', 'a file, a URL, or - for standard input', collect, [])
    .requiredOption('--key <file>', 'the private key, in PEM; also one that cosign made')
    .option('--passphrase-file <file>', 'the passphrase of a key that is encrypted')
    .option('--hash <name>', 'sha224, sha256, sha384 or sha512', 'sha256')
    .option('-o, --output <file>', 'where to write the signed documents, if not to standard output')
    .addHelpText(
      'after',
      `
What is left to defaults, such as types of parameters, is filled in before: the controller does so before it verifies.

Examples:
  $ openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
  $ openssl pkey -in key.pem -pubout -out key.pub
  $ tektite sign -f task.yaml --key key.pem -o signed.yaml
  $ tektite verify -f signed.yaml --key key.pub`,
    )
    .action(async (options) => (await import('../commands/sign.ts')).sign(options));

  tektite
    .command('verify')
    .description('check the signatures of Tasks and Pipelines')
    .requiredOption('-f, --file <file>', 'a file, a URL, or - for standard input', collect, [])
    .requiredOption('--key <file>', 'the public key, in PEM')
    .option('--hash <name>', 'sha224, sha256, sha384 or sha512', 'sha256')
    .addHelpText('after', '\nExamples:\n  $ tektite verify -f signed.yaml --key key.pub')
    .action(async (options) => (await import('../commands/verify.ts')).verify(options));
}
