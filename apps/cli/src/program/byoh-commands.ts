import { type Command, Option } from 'commander';
import { version } from '../version.ts';
import { collect } from '../option-values.ts';

/** The commands about hosts that become nodes. Their modules are loaded when they run. */
export function addByohCommands(tektite: Command): void {
  tektite
    .command('agent')
    .description('register this host and make it a node of a cluster, as its ByoHost says')
    .version(`byoh-hostagent version: ${version}`, '--version', 'print the version and exit')
    .option('--namespace <name>', "the namespace of the ByoHost; default: that of the host's kubeconfig")
    .option('--label <key=value>', 'labels for the first registration; repeatable, or by commas', collect, [])
    .option(
      '--bootstrap-kubeconfig <file>',
      'the kubeconfig to request the certificate of the host with; used when it has none',
    )
    .option('--certExpiryDuration <seconds>', 'the lifetime of the certificate', '31536000')
    .option('--downloadpath <folder>', 'the folder of bundles', '/var/lib/byoh/bundles')
    .option('--skip-installation', 'do not run install and uninstall scripts: Kubernetes is installed already')
    .option('--metricsbindaddress <address>', 'the address of /healthz and /metrics; 0 disables them', ':8080')
    .option('--config <file>', "the host's own kubeconfig; default: ~/.byoh/config")
    .option('--name <name>', 'the name of the host and its node; default: the hostname')
    .option('--state-dir <folder>', 'the folder of the state of the agent', '/var/lib/byoh/state')
    .option(
      '--sandbox <mode>',
      'host: change this host; overlay: change a throw-away copy; dry-run: change nothing',
      'host',
    )
    .option('--root <folder>', 'the folder of the overlay; not on the file system of /')
    .option('--os-image <text>', 'dry-run: the reported OS release; default: that of this host')
    .option('--heartbeat <time>', 'the interval of heartbeats', '20s')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    // Flags of upstream's agent that have no effect here.
    .addOption(new Option('--feature-gates <list>').hideHelp())
    .addOption(new Option('-v, --v <level>').hideHelp())
    .addOption(new Option('--kubeconfig <file>').hideHelp())
    .addHelpText(
      'after',
      `
Examples:
  $ tektite agent --bootstrap-kubeconfig bootstrap.conf --label site=north
                                     registers this host and waits for a ByoMachine
  $ tektite agent --config ~/.kube/config --sandbox dry-run --name test-host
                                     checks and prints scripts, changes nothing`,
    )
    .action(async (options) => (await import('../commands/agent.ts')).agent(options));

  const byoh = tektite.command('byoh').description('inspect hosts and machines, and check installers');
  byoh
    .command('explain <machine>')
    .description('show the conditions that a ByoMachine waits for')
    .option('-n, --namespace <name>', 'the namespace of the machine', 'default')
    .option('--kubeconfig <file>', 'the kubeconfig of the cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-o, --output <form>', 'text or json', 'text')
    .addHelpText('after', '\nExamples:\n  $ tektite byoh explain worker-0 -n default')
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
    .option('--settle <time>', 'how long to watch for actions that the contract forbids', '2s')
    .option('--kubeconfig <file>', 'the kubeconfig of the cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-o, --output <form>', 'text or json', 'text')
    .addHelpText(
      'after',
      `
Creates objects in a new namespace and deletes it afterwards. Exit code 1 when a check fails.

Examples:
  $ tektite byoh conformance --kind K8sInstallerConfig --template default/k8s
  $ tektite byoh conformance --kind EchoInstallerConfig.example.dev --template echo --only C6,C15`,
    )
    .action(async (options) => (await import('../commands/byoh-conformance.ts')).byohConformance(options));
  byoh
    .command('bundle')
    .description('bundles of packages, from which hosts install Kubernetes')
    .command('build')
    .description('build a bundle from packages and archives that you have; nothing is downloaded')
    .requiredOption('--k8s-version <version>', 'the version of Kubernetes: v1.36.4')
    .requiredOption('--from <folder>', 'the folder with the packages')
    .option(
      '--os-image <text>',
      'the release of the hosts, as their os-release names it',
      'Debian GNU/Linux 12 (bookworm)',
    )
    .option('--architecture <name>', 'amd64 or arm64', 'amd64')
    .option('-o, --out <folder>', 'the folder to which the bundle is added', 'bundles')
    .addHelpText(
      'after',
      `
The folder has, by the names under which they are published:
  kubeadm_VERSION_ARCH.deb, kubelet_…, kubectl_…     of the version of Kubernetes
  kubernetes-cni_VERSION_ARCH.deb, cri-tools_…       of any version
  containerd-VERSION-linux-ARCH.tar.gz, runc.ARCH    or one cri-containerd-cni-VERSION.tar.gz

Examples:
  $ tektite byoh bundle build --k8s-version v1.36.4 --from ./downloads
  $ tektite byoh bundle build --k8s-version v1.36.4 --from ./downloads --os-image 'Ubuntu 24.04' -o /srv/byoh`,
    )
    .action(async (options) => (await import('../commands/byoh-bundle-build.ts')).byohBundleBuild(options));
}
