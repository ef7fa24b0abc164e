import { type Command, Option } from 'commander';
import { version } from '../version.ts';
import { addClusterOptions, addSystemOptions, collect, defaultDataDir } from '../option-values.ts';

/** The commands for operators and those who write them. Their modules are loaded when they run. */
export function addOperatorCommands(tektite: Command): void {
  addSystemOptions(tektite.command('controller'))
    .description('run systems (operators) against a cluster, from outside or in a Pod')
    .requiredOption('--systems <list>', 'the systems, by commas: built-in names, files, folders or packages')
    .option('--controllers <list>', 'run only these controllers of the systems; default: all')
    .option('--unique-process-name <name>', 'the name of this process in Leases; default: from the systems')
    .option('--kubeconfig <file>', 'the kubeconfig of the cluster; default: $KUBECONFIG, ~/.kube/config, or in-cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-n, --namespace <name>', 'watch only this namespace; default: all')
    .option('--system-namespace <name>', 'the namespace of Leases and certificates', 'default')
    .option('--threads-per-controller <number>', 'concurrent reconciles of each controller', '4')
    .option('--kube-api-qps <number>', 'client-side rate limit in requests per second; 0: none', '50')
    .option('--kube-api-burst <number>', 'client-side burst of requests', '100')
    .option('--disable-ha', 'disable leader election: this is the only replica')
    .option(
      '--buckets <number>',
      'buckets of leader election that replicas share; default: 1, or those of the ConfigMap $CONFIG_LEADERELECTION_NAME',
    )
    .option('--leader-elect-lease-duration <time>', 'how long a Lease is valid without renewal; default: 15s')
    .option(
      '--leader-elect-renew-deadline <time>',
      'how long a leader retries to renew its Lease before it stops; default: 10s',
    )
    .option('--leader-elect-retry-period <time>', 'the time between attempts; default: 2s')
    .option(
      '--shutdown-delay-duration <time>',
      'how long webhooks are answered after SIGTERM, while Services forget this process; default: 0s',
    )
    .option('--no-install', 'do not apply CustomResourceDefinitions')
    .option('--webhook-port <number>', 'the port of webhooks; 0 disables them', '0')
    .option('--webhook-url <url>', 'the URL by which the API server calls webhooks, in place of the Service')
    .option('--webhook-service <name>', 'the Service of the webhooks', 'tektite-webhook')
    .option('--entrypoint-image <name>', 'pipelines: the image with /ko-app/entrypoint, for all programs of Pods')
    .option('--nop-image <name>', 'pipelines: the image that stopped sidecars get; default: that of the entrypoint')
    .option('--sidecarlogresults-image <name>', 'pipelines: the image that reads results from logs; default: the same')
    .option('--workingdirinit-image <name>', 'pipelines: the image that creates working directories; default: the same')
    .option('--shell-image <name>', 'pipelines: the image with sh that places scripts')
    .option('--shell-image-win <name>', 'pipelines: the image with pwsh that places scripts on Windows')
    .option('--status-address <address>', 'the address of /healthz, /readyz, /metrics and /explain', '127.0.0.1:9090')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .option('--dashboard-address <address>', 'serve the web page there, as :8080; default: it is not served')
    .addOption(
      new Option('--dashboard-login <way>', 'token: bearer tokens; header: users that a proxy names')
        .choices(['token', 'header'])
        .default('token'),
    )
    .option('--dashboard-read-only', 'deny all changes by the page')
    .option('--dashboard-trusted-proxy <address>', 'with header: an address or network of the proxy', collect, [])
    .option('--dashboard-host-name <name>', 'a name under which a proxy with TLS serves the page', collect, [])
    .addHelpText(
      'after',
      `
Examples:
  $ tektite controller --systems ./examples/memcached-operator --disable-ha
  $ tektite controller --systems ./my-operator/dist/index.js --threads-per-controller 16`,
    )
    .action(async (options) => (await import('../commands/controller.ts')).controller(options));

  tektite
    .command('crds')
    .description('print the CustomResourceDefinitions of systems, or check a file against them')
    .requiredOption('--systems <list>', 'the systems, by commas: built-in names, files, folders or packages')
    .option('-o, --output <form>', 'yaml or json', 'yaml')
    .option('--check <file>', 'print nothing; fail when this file is out of date')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite crds --systems ./examples/memcached-operator | kubectl apply -f -
  $ tektite crds --systems ./my-operator --check deploy/crds.yaml`,
    )
    .action(async (options) => (await import('../commands/crds.ts')).crds(options));

  addClusterOptions(tektite.command('migrate-storage [definition...]'))
    .description('write objects in the version that their definition stores now, and forget versions of before')
    .option('--to <version>', 'have the definitions store this version first, for a downgrade')
    .addHelpText(
      'after',
      `
Without names, the definitions of all built-in systems. A version can be removed from a definition when nothing is stored in it.

Examples:
  $ tektite migrate-storage                                      after an upgrade
  $ tektite migrate-storage connectors.example.com --to v1       before a downgrade to a release that has v1 alone`,
    )
    .action(async (names, options) =>
      (await import('../commands/migrate-storage.ts')).migrateStorageOf(names, options),
    );

  tektite
    .command('rbac')
    .description('print the ServiceAccount and least-privilege roles of systems, or check a file against them')
    .requiredOption('--systems <list>', 'the systems, by commas: built-in names, files, folders or packages')
    .option('--system-namespace <name>', 'the namespace of the ServiceAccount, Leases and certificates', 'default')
    .option('--service-account <name>', 'the ServiceAccount', 'tektite-controller')
    .option('--webhook-service <name>', 'the Service of the webhooks', 'tektite-webhook')
    .option('--payload <folder>', 'connectors: the payloads that the rights are for')
    .option('-o, --output <form>', 'yaml or json', 'yaml')
    .option('--check <file>', 'print nothing; fail when this file is out of date')
    .addHelpText(
      'after',
      `
The roles allow what the controllers do and nothing more. CustomResourceDefinitions are not included: apply those of
\`tektite crds\`, and run \`tektite controller\` with --no-install.

Examples:
  $ tektite rbac --systems ./examples/memcached-operator | kubectl apply -f -
  $ tektite rbac --systems ./my-operator --check deploy/rbac.yaml`,
    )
    .action(async (options) => (await import('../commands/rbac.ts')).rbac(options));

  tektite
    .command('deploy <system>')
    .description(
      'print the manifests that install a system on a cluster: CRDs, RBAC, webhooks, Deployment; or check a file against them',
    )
    .option('--image <name>', 'the image with this program', `tektite.dev/tektite:${version}`)
    .option('--values <file>', 'values, as the chart of `tektite chart` takes them')
    .option('--replicas <number>', 'processes that share the work; default: 2, and 1 for triggers and dashboard')
    .option('--system-namespace <name>', 'the namespace; default: that of upstream, as tekton-pipelines')
    .option('--auto-install <namespace>', 'tekton-operator: create a TektonConfig that installs into this namespace')
    .option('--payload <folder>', 'connectors: what the image has in /var/run/ko; the rights are for that')
    .option(
      '--takeover',
      "pipelines, triggers, tekton-operator: scale upstream's other Deployments to zero, where it is installed",
    )
    .addOption(
      new Option('--login <way>', 'dashboard: token: bearer tokens; header: users that a proxy names')
        .choices(['token', 'header'])
        .default('token'),
    )
    .option(
      '--trusted-proxy <address>',
      'dashboard, with --login header: the address or network of the proxy',
      collect,
      [],
    )
    .option('--host-name <name>', 'dashboard: a name under which a proxy with TLS serves the page', collect, [])
    .option('-o, --output <form>', 'yaml or json', 'yaml')
    .option('--check <file>', 'print nothing; fail when this file is out of date')
    .addHelpText(
      'after',
      `
Systems: byoh, chains, connectors, dashboard, pipelines, results, tekton-operator, triggers.

Examples:
  $ tektite deploy tekton-operator --image registry.example.com/tektite:1 | kubectl apply --server-side -f -
  $ tektite deploy pipelines --image registry.example.com/tektite:1 > deploy/pipelines.yaml
  $ tektite deploy connectors --payload kodata --image registry.example.com/shop-operator:1 | kubectl apply --server-side -f -`,
    )
    .action(async (system, options) => (await import('../commands/deploy.ts')).deploy(system, options));

  tektite
    .command('chart <system>')
    .description('write the Helm chart of a system, which installs what `tektite deploy` prints')
    .option('--image <name>', 'the image with this program, as default value', `tektite.dev/tektite:${version}`)
    .option('--payload <folder>', 'connectors: what the image has in /var/run/ko; the rights are for that')
    .option('--out <folder>', 'the folder; default: tektite-SYSTEM')
    .addHelpText(
      'after',
      `
Systems: byoh, chains, connectors, dashboard, pipelines, results, tekton-operator, triggers.

Examples:
  $ tektite chart pipelines --image registry.example.com/tektite:1
  $ helm install tektite ./tektite-pipelines --namespace tekton-pipelines --create-namespace`,
    )
    .action(async (system, options) => (await import('../commands/chart.ts')).chart(system, options));

  tektite
    .command('olm <system>')
    .description('write a bundle of an operator for the Operator Lifecycle Manager: CSV, CRDs, annotations')
    .requiredOption('--image <name>', 'the image of the operator')
    .option(
      '--entrypoint-image <name>',
      'tekton-operator: the image with the programs that Pods of TaskRuns start with',
    )
    .option('--shell-image <name>', 'tekton-operator: the image with the shell that places the scripts of steps')
    .option(
      '--payload <folder>',
      'connectors: the payloads of the image in /var/run/ko; the RBAC rules are made for them',
    )
    .option('--release <version>', 'the version of the operator', version)
    .option('--replaces <version>', 'the version that this one upgrades')
    .option('--package <name>', 'the name of the package; default: that of the operator')
    .option('--channel <name>', 'the channel', 'alpha')
    .option('--provider <name>', 'the provider', 'Tektite')
    .option('--out <folder>', 'the folder', 'bundle')
    .addHelpText(
      'after',
      `
Systems: connectors, tekton-operator.

Examples:
  $ tektite olm tekton-operator --image registry.example.com/tektite:1.0.0 --release 1.0.0`,
    )
    .action(async (system, options) => (await import('../commands/olm.ts')).writeOlmBundle(system, options));

  tektite
    .command('tkn <resource> <verb>', { hidden: true })
    .description('the words of tkn that pruning Jobs use')
    .requiredOption('-n, --namespace <name>', 'the namespace of the runs')
    .option('--keep <number>', 'how many stay')
    .option('--keep-since <minutes>', 'how old they may be')
    .option('--pipeline <name>', 'only runs of this Pipeline')
    .option('--task <name>', 'only runs of this Task')
    .option('--no-headers', 'names only')
    .option('--output <form>', 'names only')
    .option('--force', 'do not ask')
    .action(async (resource, verb, options) => (await import('../commands/tkn.ts')).tkn(resource, verb, options));

  tektite
    .command('new')
    .description('create the files of a new project')
    .command('operator <name>')
    .description('create an operator: a kind, its decisions, its controller, tests')
    .option('--group <domain>', 'the API group of its kind', 'example.com')
    .option('--version <version>', 'the version of its kind', 'v1alpha1')
    .option('--kind <Kind>', 'its kind; default: from the name')
    .option('--out <folder>', 'the folder; default: the name')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite new operator shop-operator --group shops.example.com --kind CoffeeShop
  $ tektite new operator shop --out ./operators/shop`,
    )
    .action(async (name, options) => (await import('../commands/new.ts')).newOperator(name, options));

  tektite
    .command('explain <kind> <name>')
    .description('show the recent reconciles of an object: causes, result, duration')
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
    .action(async (kind, name, options) => (await import('../commands/explain.ts')).explain(kind, name, options));

  addSimulateCommand(tektite);
}

function addSimulateCommand(tektite: Command): void {
  const simulate = tektite
    .command('simulate')
    .description('run an operator through faults in virtual time, by seeds, and explain the failures')
    .argument('<operator>', 'the operator: a built-in name, file, folder or package')
    .option('--scenario <file>', 'manifests that users apply, or steps; required')
    .option('--functions <file>', 'a module with functions of the scenario: act, check, rules')
    .option('--seeds <number>', 'how many seeds', '1000')
    .option('--first-seed <number>', 'the first seed', '1')
    .option('--jobs <number>', 'processes that run at the same time', '1')
    .option('--until-fails', 'stop at the first failure')
    .option('--junit <file>', 'write a report for a CI system')
    .option('--out <folder>', 'where failures are written', '.')
    .addHelpText(
      'after',
      `
Exit code 1 when a seed fails. The same seed fails the same way.

Examples:
  $ tektite simulate ./my-operator --scenario create.yaml --seeds 10000 --jobs 2
  $ tektite simulate ./my-operator --scenario create.yaml --until-fails --junit simulate.xml
  $ tektite simulate replay simulation-42.json`,
    )
    .action(async (operator, options) => (await import('../commands/simulate.ts')).simulate(operator, options));
  simulate
    .command('replay <file>')
    .description('repeat a failure from its file, with its story as it happens')
    .option('--step', 'wait for Enter at each fault')
    .option('--break', 'stop a debugger at each fault and at the failure; start with node --inspect-brk')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite simulate replay simulation-42.json
  $ tektite simulate replay simulation-42.json --step`,
    )
    .action(async (file, options) => (await import('../commands/simulate-replay.ts')).simulateReplay(file, options));
  simulate
    .command('worker', { hidden: true })
    .description('one process of a simulation')
    .action(async () => (await import('../simulate/simulation-worker.ts')).simulationWorker());
}
