import { type Command, Option } from 'commander';
import { version } from '../version.ts';
import { collect } from './option-values.ts';

/** The commands about hosts that become nodes. Their modules are loaded when they run. */
export function addByohCommands(tektite: Command): void {
  tektite
    .command('agent')
    .description('run on a host that is to become a node: registers it, and does what its ByoHost asks for')
    .version(`byoh-hostagent version: ${version}`, '--version', 'print the version and exit')
    .option('--namespace <name>', 'where the host is registered', 'default')
    .option(
      '--label <key=value>',
      'labels of the host, for its first registration; several by commas or again',
      collect,
      [],
    )
    .option('--bootstrap-kubeconfig <file>', 'with which a host asks for its certificate; used only if it has none')
    .option('--certExpiryDuration <seconds>', 'how long its certificate is to be good for', '31536000')
    .option('--downloadpath <folder>', 'where bundles are kept', '/var/lib/byoh/bundles')
    .option('--skip-installation', 'Kubernetes is on this host: run neither install nor uninstall scripts')
    .option('--metricsbindaddress <address>', 'where /healthz and /metrics are served; 0: not at all', ':8080')
    .option('--config <file>', "the host's own kubeconfig; default: ~/.byoh/config")
    .option('--name <name>', 'the name of the host and its node; default: what the system says')
    .option('--state-dir <folder>', 'where the agent notes what it has done', '/var/lib/byoh/state')
    .option(
      '--sandbox <mode>',
      'host: change this host; overlay: a copy that can be thrown away; dry-run: nothing',
      'host',
    )
    .option('--root <folder>', 'where the copy of an overlay is kept; not on the file system of /')
    .option('--os-image <text>', 'dry-run: which release to say it is; default: what the system says')
    .option('--heartbeat <time>', 'how often it tells that it is alive', '20s')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    // Flags of the original that have no effect, for those who start it as they did.
    .addOption(new Option('--feature-gates <list>').hideHelp())
    .addOption(new Option('-v, --v <level>').hideHelp())
    .addOption(new Option('--kubeconfig <file>').hideHelp())
    .addHelpText(
      'after',
      `
Examples:
  $ tektite agent --bootstrap-kubeconfig bootstrap.conf --label site=north
                                     registers this host, and waits for a machine that wants it
  $ tektite agent --config ~/.kube/config --sandbox dry-run --name test-host
                                     pretends: scripts are checked and shown, nothing is changed`,
    )
    .action(async (options) => (await import('../commands/agent.ts')).agent(options));

  const byoh = tektite.command('byoh').description('look at hosts and machines, and check installers');
  byoh
    .command('explain <machine>')
    .description('what a ByoMachine waits for, and why')
    .option('-n, --namespace <name>', 'the namespace of the machine', 'default')
    .option('--kubeconfig <file>', 'which cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-o, --output <form>', 'text or json', 'text')
    .action(async (machine, options) => (await import('../commands/byoh-explain.ts')).byohExplain(machine, options));
  byoh
    .command('conformance')
    .description('check a running installer against the installer contract')
    .requiredOption('--kind <kind>', 'the kind of its configs: K8sInstallerConfig, or EchoInstallerConfig.example.dev')
    .requiredOption('--template <name>', 'a template of it in the cluster: name, or namespace/name')
    .option('--os-image <text>', 'a host that it supports: the release', 'Ubuntu 20.04.6 LTS')
    .option('--architecture <name>', 'and the architecture', 'amd64')
    .option('--k8s-version <version>', 'a version that it supports', 'v1.26.6')
    .option('--only <checks>', 'only these: C1,C6')
    .option('--settle <time>', 'how long to look whether it does what it should not', '2s')
    .option('--kubeconfig <file>', 'which cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-o, --output <form>', 'text or json', 'text')
    .addHelpText(
      'after',
      `
Makes objects in a namespace of its own and removes it afterwards. Exit code 1 when a check fails.

Examples:
  $ tektite byoh conformance --kind K8sInstallerConfig --template default/k8s
  $ tektite byoh conformance --kind EchoInstallerConfig.example.dev --template echo --only C6,C15`,
    )
    .action(async (options) => (await import('../commands/byoh-conformance.ts')).byohConformance(options));
}
