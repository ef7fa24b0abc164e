import type { Command } from 'commander';
import { version } from '../version.ts';
import { addSystemOptions, defaultDataDir } from './option-values.ts';

/** The commands for operators and those who write them. Their modules are loaded when they run. */
export function addOperatorCommands(tektite: Command): void {
  addSystemOptions(tektite.command('controller'))
    .description('run systems (operators) against a cluster: the current kubeconfig, or the cluster this process is in')
    .requiredOption('--systems <list>', 'which systems, separated by commas: names, or files, folders and packages')
    .option(
      '--controllers <list>',
      'only these controllers of them, where several processes share the work; default: all',
    )
    .option('--unique-process-name <name>', 'the name of this process in Leases; default: from the systems')
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
    .action(async (options) => (await import('../commands/controller.ts')).controller(options));

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
    .action(async (options) => (await import('../commands/crds.ts')).crds(options));

  tektite
    .command('rbac')
    .description(
      'print the account that systems run as on a cluster and what it is allowed, or check that a file has it',
    )
    .requiredOption('--systems <list>', 'which systems, separated by commas: names, or files, folders and packages')
    .option('--system-namespace <name>', 'the namespace of the process: account, Leases and certificates', 'default')
    .option('--service-account <name>', 'the account', 'tektite-controller')
    .option('--webhook-service <name>', 'the Service in front of the webhooks', 'tektite-webhook')
    .option('--payload <folder>', 'connectors: the payloads that the rights are for')
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
    .action(async (options) => (await import('../commands/rbac.ts')).rbac(options));

  tektite
    .command('deploy <system>')
    .description(
      'print what runs a system on a cluster: definitions, rights, webhooks, a Deployment; or check that a file has it',
    )
    .option('--image <name>', 'an image that has this program', `tektite.dev/tektite:${version}`)
    .option('--system-namespace <name>', 'the namespace of the operator; default: tekton-operator, connectors-operator')
    .option(
      '--auto-install <namespace>',
      'tekton-operator makes a TektonConfig by itself, which installs into this namespace',
    )
    .option('--payload <folder>', 'connectors: what the image has in /var/run/ko; the rights are for that')
    .option('-o, --output <form>', 'yaml or json', 'yaml')
    .option('--check <file>', 'print nothing, but fail if this file is out of date')
    .addHelpText(
      'after',
      `
Systems: connectors, pipelines, tekton-operator.

Examples:
  $ tektite deploy tekton-operator --image registry.example.com/tektite:1 | kubectl apply --server-side -f -
  $ tektite deploy pipelines --image registry.example.com/tektite:1 > deploy/pipelines.yaml
  $ tektite deploy connectors --payload kodata --image registry.example.com/shop-operator:1 | kubectl apply --server-side -f -`,
    )
    .action(async (system, options) => (await import('../commands/deploy.ts')).deploy(system, options));

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
    .action(async (name, options) => (await import('../commands/new.ts')).newOperator(name, options));

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
    .action(async (kind, name, options) => (await import('../commands/explain.ts')).explain(kind, name, options));
}
