import { type Command, Option } from 'commander';
import { systemLines } from '../catalog/built-in-systems.ts';
import { addClusterOptions, addSystemOptions, collect, defaultDataDir, outputOption } from '../option-values.ts';

/** The commands about the control plane of this machine. Their modules are loaded when they run. */
export function addClusterCommands(tektite: Command): void {
  const up = tektite
    .command('up')
    .description('run a control plane on this machine: the Kubernetes API, built-in controllers, a node and systems')
    .optionsGroup('State and address:')
    .option('--data-dir <dir>', 'the folder of state, keys and kubeconfig', defaultDataDir())
    .option('--in-memory', 'keep the state in memory; it is lost when the process ends')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port to listen on; 0 takes a free one', '6443')
    .option(
      '--advertise-address <address>',
      'the address at which other machines reach the API; default: --host, or with 0.0.0.0 an address of this machine',
    )
    .option(
      '--tls-san <name>',
      'a further name or address for the certificate of the API; can be repeated',
      collect,
      [],
    )
    .option('--write-kubeconfig <file>', 'also add the context "tektite" to this kubeconfig')
    .option('--dashboard-port <number>', 'the port of the web page; default: the one after --port, or a free one')
    .option('--no-dashboard', 'do not serve the web page')
    .optionsGroup('Pods:')
    .option(
      '--runtime <name>',
      'how Pods run: auto (images, but the shell of this machine for busybox, alpine, debian and the like where there is no network), images (always), host (programs of this machine, nothing is pulled), podman, simulated, or none',
      'auto',
    )
    .option('--images <file>', 'YAML that maps images to programs or folders of this machine')
    .option(
      '--network <name>',
      'the network of Pods: pods (an address and ports for each, Services and DNS in it), host (the network of this machine), or auto (pods where this machine can)',
      'auto',
    )
    .option(
      '--route-pods',
      'as root, with --network pods: give this machine routes to the addresses of Pods and Services, as a node has them',
    )
    .optionsGroup('Systems:')
    .option('--systems <list>', 'operators to run: built-in names, all, files, folders or packages, by commas');
  addSystemOptions(up)
    .optionsGroup('API server:')
    .option('--api-only', 'serve the API alone: no controllers, node or systems')
    .option('--token-auth-file <file>', 'static bearer tokens, a line each: token,user,uid,"group1,group2"')
    .option('--authentication-config <file>', 'an AuthenticationConfiguration: issuers of tokens (OpenID Connect)')
    .option('--audit-policy-file <file>', 'which requests are recorded: an audit policy; needs one of the next')
    .option('--audit-log-path <file>', 'where they are recorded, a line of JSON each; - is the standard output')
    .option('--audit-log-maxsize <megabytes>', 'the size at which that file is rotated; 0 is 100', '0')
    .option('--audit-log-maxbackup <number>', 'how many rotated files are kept; 0 keeps all', '0')
    .option('--audit-log-maxage <days>', 'for how long rotated files are kept; 0 is for ever', '0')
    .option('--audit-webhook-config-file <file>', 'a kubeconfig of the server that records are sent to, in batches')
    .option('--encryption-provider-config <file>', 'an EncryptionConfiguration: encrypts Secrets in the data folder')
    .option('--disable-admission-plugins <names>', 'admission plugins to leave out, by commas')
    .option(
      '--max-inflight-bytes <bytes>',
      'memory for bodies of requests under way, and for answers that clients do not read',
      '134217728',
    )
    .optionsGroup('Options:')
    .addHelpText(
      'after',
      `
Systems:
${systemLines()}
  all              pipelines, triggers, tekton-operator, connectors and byoh
  ./my-operator    an operator of your own; \`tektite new operator\` begins one

Examples:
  $ tektite up                                   state in ~/.tektite, serves https://127.0.0.1:6443
  $ tektite up --systems pipelines               runs Tekton Tasks and Pipelines for kubectl and tkn
  $ tektite up --systems all --port 0            everything, on a free port
  $ tektite up --in-memory --port 0              a throw-away control plane
  $ tektite up --write-kubeconfig ~/.kube/config
                                                 adds the context "tektite" to your own kubeconfig
  $ tektite up --host 0.0.0.0                    other machines may join; see \`tektite token create --help\`
  $ tektite up --images images.yaml              with lines as \`acme/web: {root: ./web, entrypoint: [/bin/web]}\`

\`tektite status\` shows what runs, \`tektite stop\` stops it.`,
    )
    .action(async (options) => (await import('../commands/up.ts')).up(options));

  addClusterOptions(tektite.command('dashboard'))
    .description('serve the web page for a cluster: runs, logs, pipelines, and any object')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port to listen on; 0 takes a free one', '0')
    .option('--read-only', 'deny all changes')
    .addOption(
      new Option(
        '--login <way>',
        'code: the printed link, with the rights of your kubeconfig; token: bearer tokens; header: users that a proxy names',
      )
        .choices(['code', 'token', 'header'])
        .default('code'),
    )
    .option('--trusted-proxy <address>', 'with --login header: an address or network of the proxy', collect, [])
    .option('--user-header <name>', 'with --login header: the header with the user; default: x-forwarded-user')
    .option('--groups-header <name>', 'with --login header: the header with groups; default: x-forwarded-groups')
    .option('--host-name <name>', 'a name under which a proxy with TLS serves the page', collect, [])
    .addHelpText(
      'after',
      `
Users act with their own rights: of the kubeconfig, of their token, or by impersonation.

Examples:
  $ tektite dashboard                            of the control plane of this machine
  $ tektite dashboard --kubeconfig ~/.kube/config --read-only
  $ tektite dashboard --login token --host 0.0.0.0 --port 8080 --host-name ci.example.com`,
    )
    .action(async (options) => (await import('../commands/dashboard.ts')).dashboard(options));

  addTokenCommands(tektite);

  addClusterOptions(tektite.command('compact'))
    .description('compact old revisions of a control plane: watches and lists of them then get 410 Gone')
    .addHelpText('after', '\nExamples:\n  $ tektite compact\n  $ tektite compact --context tektite')
    .action(async (options) => (await import('../commands/compact.ts')).compact(options));

  addBackupCommands(tektite);
}

function addBackupCommands(tektite: Command): void {
  tektite
    .command('backup <folder>')
    .description('copy the objects and keys of a control plane, also while it runs, into a new folder')
    .option('--data-dir <dir>', 'the data folder of `tektite up`', defaultDataDir())
    .addHelpText(
      'after',
      `
Volumes of Pods are not part of it. The folder has private keys.

Examples:
  $ tektite backup backups/monday
  $ tektite backup backups/monday && tar -cz backups/monday | age -r KEY > monday.tar.gz.age`,
    )
    .action(async (folder, options) => (await import('../commands/backup.ts')).backup(folder, options));
  tektite
    .command('restore <folder>')
    .description('make the data folder of a control plane from a backup')
    .option('--data-dir <dir>', 'the data folder to create', defaultDataDir())
    .addHelpText(
      'after',
      '\nExamples:\n  $ tektite restore backups/monday --data-dir restored\n  $ tektite up --data-dir restored',
    )
    .action(async (folder, options) => (await import('../commands/restore.ts')).restore(folder, options));
}

/** Bootstrap tokens: how other machines become nodes. */
function addTokenCommands(tektite: Command): void {
  const token = tektite
    .command('token')
    .description('manage bootstrap tokens, with which other machines join the control plane as nodes')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite up --host 0.0.0.0                    serve other machines, too
  $ tektite token create --print-join-command    and run what it prints on a machine with kubeadm and a kubelet
  $ tektite token list
  $ tektite token delete abcdef`,
    );

  addClusterOptions(token.command('create [token]'))
    .description('create a bootstrap token, and the objects that `kubeadm join` reads')
    .option('--ttl <duration>', 'how long it is good for; 0 is for ever', '24h')
    .option('--description <text>', 'what it is for')
    .option('--server <host:port>', 'where machines reach the API; default: the endpoint of the Service kubernetes')
    .option('--print-join-command', 'print the whole command that joins a machine')
    .addHelpText(
      'after',
      `
The control plane must listen on an address that the machine reaches: \`tektite up --host 0.0.0.0\`. The certificate of the kubelet
is approved when the addresses in it are those of its node, so that \`kubectl logs\` and \`exec\` reach it.

Examples:
  $ tektite token create
  $ tektite token create --ttl 1h --print-join-command
  $ tektite token create --server control.example:6443 --print-join-command`,
    )
    .action(async (given, options) => (await import('../commands/token.ts')).createBootstrapToken(given, options));

  addClusterOptions(token.command('list'))
    .description('show bootstrap tokens, without their secrets')
    .addOption(outputOption(['text', 'json'], 'text or json'))
    .addHelpText('after', '\nExamples:\n  $ tektite token list\n  $ tektite token list -o json')
    .action(async (options) => (await import('../commands/token.ts')).listBootstrapTokens(options));

  addClusterOptions(token.command('delete <token...>'))
    .description('delete bootstrap tokens; nodes that joined with them stay')
    .addHelpText('after', '\nExamples:\n  $ tektite token delete abcdef')
    .action(async (tokens, options) => (await import('../commands/token.ts')).deleteBootstrapTokens(tokens, options));
}
