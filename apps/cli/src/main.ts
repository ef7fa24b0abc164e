import { Command, CommanderError } from 'commander';
import { UserError } from './user-error.ts';
import { version } from './version.ts';

/** Builds the command line. Each command's module is loaded only when that command runs, so `--help` is quick. */
function program(): Command {
  const tektite = new Command('tektite')
    .description('A Kubernetes control plane for installing software and running pipelines, with or without a cluster.')
    .version(version)
    .showHelpAfterError('(run with --help for what is possible)')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite up                                   serve a Kubernetes API on this machine
  $ export KUBECONFIG=~/.tektite/kubeconfig      let kubectl use it
  $ kubectl get namespaces`,
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
    .option('--api-only', 'serve the API without controllers, node or systems')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite up                       keeps its state in ~/.tektite, serves https://127.0.0.1:6443
  $ tektite up --in-memory --port 0  a throw-away control plane on a free port
  $ tektite up --write-kubeconfig ~/.kube/config
                                     adds a context named "tektite" to your own kubeconfig`,
    )
    .action(async (options) => (await import('./commands/up.ts')).up(options));

  tektite
    .command('compact')
    .description('make a running control plane forget old revisions (watches and lists of the past then get 410 Gone)')
    .option('--kubeconfig <file>', 'how to reach it; default: $KUBECONFIG, or the one in the data folder')
    .option('--data-dir <dir>', 'the data folder of the control plane', defaultDataDir())
    .action(async (options) => (await import('./commands/compact.ts')).compact(options));

  return tektite;
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
  process.exitCode = 1;
}
