import { Command, CommanderError } from 'commander';
import { addManifestCommands } from './manifest/manifest-commands.ts';
import { UserError } from './user-error.ts';
import { version } from './version.ts';

/** Builds the command line. Each command's module is loaded only when that command runs, so `--help` is quick. */
function program(): Command {
  const tektite = new Command('tektite')
    .description('A Kubernetes control plane for installing software and running pipelines, with or without a cluster.')
    .version(version)
    // What comes after a command is that command's: `new operator --version` is the version of a kind.
    .enablePositionalOptions()
    .showHelpAfterError('(run with --help for what is possible)')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite up                                   serve a Kubernetes API on this machine
  $ export KUBECONFIG=~/.tektite/kubeconfig      let kubectl use it
  $ kubectl get namespaces
  $ tektite run -f pipeline.yaml                 run a pipeline to its end, with no cluster
  $ tektite plan -f release.yaml                 see what an apply would do, exactly
  $ tektite apply -f release.yaml --wait         install it, here or on any cluster
  $ tektite new operator shop                    begin an operator in the folder shop
  $ tektite up --systems ./shop                  run it`,
    );

  tektite
    .command('up')
    .description('serve the embedded control plane; writes a kubeconfig and says what to do next')
    .option('--data-dir <dir>', 'where state and keys are kept', defaultDataDir())
    .option('--in-memory', 'keep nothing: all state ends with the process')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port to listen on; 0 takes any free one', '6443')
    .option('--write-kubeconfig <file>', 'also write the connection into that kubeconfig, merging with what it has')
    .option('--token-auth-file <file>', 'static bearer tokens, a line each: token,user,uid,"group1,group2"')
    .option('--disable-admission-plugins <names>', 'admission plugins to leave out, separated by commas')
    .option('--runtime <name>', 'what runs Pods: host (processes of this machine), podman, simulated, or none', 'host')
    .option('--images <file>', 'YAML that says what stands for images where Pods are processes of this machine')
    .option('--api-only', 'serve the API without controllers, node or systems')
    .option('--systems <list>', 'systems (operators) to run in it, separated by commas: files, folders or packages')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite up                       keeps its state in ~/.tektite, serves https://127.0.0.1:6443
  $ tektite up --in-memory --port 0  a throw-away control plane on a free port
  $ tektite up --write-kubeconfig ~/.kube/config
                                     adds a context named "tektite" to your own kubeconfig
  $ tektite up --systems ./my-operator
                                     runs an operator in it; begin one with \`tektite new operator\`
  $ tektite up --images images.yaml  where a line as \`acme/web: {root: ./web, entrypoint: [/bin/web]}\` says what the
                                     image is here`,
    )
    .action(async (options) => (await import('./commands/up.ts')).up(options));

  tektite
    .command('run')
    .description(
      'run a PipelineRun or TaskRun, or a Pipeline or Task, to its end: on this machine unless a cluster is named',
    )
    .requiredOption(
      '-f, --file <file>',
      'what to run: a file, a URL, or - for standard input; several times for several',
      collect,
      [],
    )
    .option('-p, --param <name=value>', 'a parameter; lists and objects as JSON', collect, [])
    .option(
      '-w, --workspace <name=what>',
      'a workspace: emptyDir, a folder as ./here, claim:NAME[/SUBPATH], configMap:NAME or secret:NAME',
      collect,
      [],
    )
    .option('-n, --namespace <name>', 'the namespace of what says none', 'default')
    .option('--serviceaccount <name>', 'the service account that it runs as')
    .option('--timeout <duration>', 'how long it may take, as 10m or 1h30m')
    .option('--kubeconfig <file>', 'run it on this cluster')
    .option('--images <file>', 'YAML that says what stands for images where Pods are processes of this machine')
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .addHelpText(
      'after',
      `
The exit code is 0 when it succeeded, 1 when it failed, and 2 when what is to be run cannot be understood.

Examples:
  $ tektite run -f task.yaml -p who=world
  $ tektite run -f pipeline.yaml -w source=.      work on the files of this folder
  $ cat taskrun.yaml | tektite run -f -`,
    )
    .action(async (options) => (await import('./commands/run.ts')).run(options));

  const forRun = (command: Command) =>
    command
      .option('-n, --namespace <name>', 'the namespace of the run', 'default')
      .option('--kubeconfig <file>', 'which cluster; default: $KUBECONFIG, or the control plane of this machine')
      .option('--data-dir <dir>', 'the data folder of the control plane of this machine', defaultDataDir());

  forRun(tektite.command('logs'))
    .description('show what a run said, with its steps; of one that goes on, until its end')
    .argument('<run>', 'its name, or pipelinerun/NAME or taskrun/NAME')
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .action(async (run, options) => (await import('./commands/logs.ts')).logs(run, options));

  forRun(tektite.command('describe'))
    .description('show what a run was given, how each part of it went, and its results')
    .argument('<run>', 'its name, or pipelinerun/NAME or taskrun/NAME')
    .option('-o, --output <form>', 'text, or json for the tree of its parts', 'text')
    .action(async (run, options) => (await import('./commands/describe.ts')).describe(run, options));

  forRun(tektite.command('cancel'))
    .description('ask a run to end before its time')
    .argument('<run>', 'its name, or pipelinerun/NAME or taskrun/NAME')
    .option(
      '--mode <mode>',
      'now; of a PipelineRun also run-finally (cancel its tasks, but run the final ones) or stop (let tasks that run end)',
      'now',
    )
    .action(async (run, options) => (await import('./commands/cancel.ts')).cancel(run, options));

  forRun(tektite.command('rerun'))
    .description('run something again, and follow it; or only those of its tasks that did not succeed')
    .argument('<run>', 'its name, or pipelinerun/NAME or taskrun/NAME')
    .option('--from-failed', 'go on where it failed: tasks that succeeded are not run again, their results are used')
    .option('-o, --output <form>', 'text, or json for a line of JSON for everything that happens', 'text')
    .action(async (run, options) => (await import('./commands/rerun.ts')).rerun(run, options));

  forRun(tektite.command('graph'))
    .description('draw which tasks of a pipeline wait for which')
    .argument('[run]', 'the name of a PipelineRun')
    .option('-f, --file <file>', 'a file, a URL, or - for standard input, with Pipelines and PipelineRuns', collect, [])
    .option('-o, --output <form>', 'text, mermaid or svg', 'text')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite graph -f pipeline.yaml
  $ tektite graph -f pipeline.yaml -o svg > pipeline.svg`,
    )
    .action(async (run, options) => (await import('./commands/graph.ts')).graph(run, options));

  tektite
    .command('sign')
    .description('sign Tasks and Pipelines, so that a VerificationPolicy can tell them from others')
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
    .action(async (options) => (await import('./commands/sign.ts')).sign(options));

  tektite
    .command('verify')
    .description('check the signatures of Tasks and Pipelines')
    .requiredOption('-f, --file <file>', 'a file, a URL, or - for standard input', collect, [])
    .requiredOption('--key <file>', 'the public key, in PEM')
    .option('--hash <name>', 'sha224, sha256, sha384 or sha512', 'sha256')
    .action(async (options) => (await import('./commands/verify.ts')).verify(options));

  addManifestCommands(tektite, { collect, dataDir: defaultDataDir() });

  tektite
    .command('compact')
    .description('make a running control plane forget old revisions (watches and lists of the past then get 410 Gone)')
    .option('--kubeconfig <file>', 'how to reach it; default: $KUBECONFIG, or the one in the data folder')
    .option('--data-dir <dir>', 'the data folder of the control plane', defaultDataDir())
    .action(async (options) => (await import('./commands/compact.ts')).compact(options));

  tektite
    .command('controller')
    .description('run systems (operators) against a cluster: the current kubeconfig, or the cluster this process is in')
    .requiredOption('--systems <list>', 'which systems, separated by commas: names, or files, folders and packages')
    .option(
      '--kubeconfig <file>',
      'which cluster; default: $KUBECONFIG, ~/.kube/config, or the one around this process',
    )
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-n, --namespace <name>', 'only objects of this namespace; default: all')
    .option('--system-namespace <name>', 'where Leases and certificates are kept', 'default')
    .option('--threads-per-controller <number>', 'how many objects each controller works on at a time', '4')
    .option('--kube-api-qps <number>', 'requests a second, in the long run; 0: as many as it likes', '50')
    .option('--kube-api-burst <number>', 'requests at once', '100')
    .option('--disable-ha', 'no leader election: this is the only process')
    .option('--buckets <number>', 'into how many parts the work is shared between processes', '1')
    .option('--leader-elect-lease-duration <time>', 'how long the others wait for a leader that is silent', '15s')
    .option('--leader-elect-renew-deadline <time>', 'how long a leader goes on that cannot renew its Lease', '10s')
    .option('--leader-elect-retry-period <time>', 'the time between two tries', '2s')
    .option('--no-install', 'do not write CustomResourceDefinitions; somebody else has')
    .option('--webhook-port <number>', 'where webhooks are served; 0: not at all', '0')
    .option('--webhook-url <url>', 'where the API server reaches them, if not through the Service')
    .option('--webhook-service <name>', 'the Service in front of them', 'tektite-webhook')
    .option('--status-address <address>', 'where /healthz, /readyz, /metrics and /explain are served', '127.0.0.1:9090')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite controller --systems ./examples/memcached-operator --disable-ha
  $ tektite controller --systems ./my-operator/dist/index.js --threads-per-controller 16`,
    )
    .action(async (options) => (await import('./commands/controller.ts')).controller(options));

  tektite
    .command('crds')
    .description('print the CustomResourceDefinitions of systems, or check that a file has them')
    .requiredOption('--systems <list>', 'which systems, separated by commas: names, or files, folders and packages')
    .option('-o, --output <form>', 'yaml or json', 'yaml')
    .option('--check <file>', 'print nothing, but fail if this file is out of date')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite crds --systems ./examples/memcached-operator | kubectl apply -f -
  $ tektite crds --systems ./my-operator --check deploy/crds.yaml`,
    )
    .action(async (options) => (await import('./commands/crds.ts')).crds(options));

  tektite
    .command('rbac')
    .description(
      'print the account that systems run as on a cluster and what it is allowed, or check that a file has it',
    )
    .requiredOption('--systems <list>', 'which systems, separated by commas: names, or files, folders and packages')
    .option('--system-namespace <name>', 'the namespace of the process: account, Leases and certificates', 'default')
    .option('--service-account <name>', 'the account', 'tektite-controller')
    .option('--webhook-service <name>', 'the Service in front of the webhooks', 'tektite-webhook')
    .option('-o, --output <form>', 'yaml or json', 'yaml')
    .option('--check <file>', 'print nothing, but fail if this file is out of date')
    .addHelpText(
      'after',
      `
The roles allow what the controllers do and nothing more. Definitions of kinds are not among it: apply what \`tektite crds\`
prints, and run \`tektite controller\` with --no-install.

Examples:
  $ tektite rbac --systems ./examples/memcached-operator | kubectl apply -f -
  $ tektite rbac --systems ./my-operator --check deploy/rbac.yaml`,
    )
    .action(async (options) => (await import('./commands/rbac.ts')).rbac(options));

  tektite
    .command('new')
    .description('begin something new')
    .command('operator <name>')
    .description('write the files of an operator that runs: a kind, what it decides, its controller, tests')
    .option('--group <domain>', 'the API group of its kind', 'example.com')
    .option('--version <version>', 'the version of its kind', 'v1alpha1')
    .option('--kind <Kind>', 'its kind; default: from the name')
    .option('--out <folder>', 'where to; default: a folder of that name')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite new operator shop-operator --group shops.example.com --kind CoffeeShop
  $ tektite new operator shop --out ./operators/shop`,
    )
    .action(async (name, options) => (await import('./commands/new.ts')).newOperator(name, options));

  tektite
    .command('explain <kind> <name>')
    .description('why controllers looked at an object lately, and what came of it')
    .option('-n, --namespace <name>', 'the namespace of the object', 'default')
    .option('--controller <url>', 'the status address of the controllers; default: those of `tektite up` here')
    .option('--data-dir <dir>', 'the data folder of `tektite up`', defaultDataDir())
    .option('-o, --output <form>', 'text or json', 'text')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite explain memcached cache                                        those of \`tektite up\`
  $ tektite explain mc cache -n team-a --controller http://127.0.0.1:9090  those of \`tektite controller\``,
    )
    .action(async (kind, name, options) => (await import('./commands/explain.ts')).explain(kind, name, options));

  return tektite;
}

/** For options that may be given several times. */
function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function defaultDataDir(): string {
  return `${process.env.HOME ?? '.'}/.tektite`;
}

try {
  await program().parseAsync();
} catch (error) {
  // A user's mistake is told in a sentence; only our own mistakes deserve a stack trace.
  if (error instanceof UserError) console.error(`tektite: ${error.message}`);
  else if (!(error instanceof CommanderError)) console.error(error);
  process.exitCode = error instanceof UserError ? error.exitCode : 1;
}
