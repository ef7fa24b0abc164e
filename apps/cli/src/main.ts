import { Command, CommanderError, Help, type Option } from 'commander';
import { endOnBrokenPipe, isOutputClosed } from './broken-pipe.ts';
import { goStyleFlags } from './go-style-flags.ts';
import { addByohCommands } from './program/byoh-commands.ts';
import { addClusterCommands } from './program/cluster-commands.ts';
import { addConnectorCommands } from './program/connector-commands.ts';
import { addImageCommands } from './program/image-commands.ts';
import { addMachineCommands } from './program/machine-commands.ts';
import { addManifestCommands } from './program/manifest-commands.ts';
import { addOperatorCommands } from './program/operator-commands.ts';
import { addRunCommands } from './program/run-commands.ts';
import { version } from './version.ts';

/** The default of an option that can be repeated is not worth a word. */
function describeOption(this: Help, option: Option): string {
  const isEmptyList = Array.isArray(option.defaultValue) && option.defaultValue.length === 0;
  return isEmptyList ? option.description : Help.prototype.optionDescription.call(this, option);
}

/** Builds the command line. Each command's module is loaded only when that command runs, so `--help` is quick. */
function program(): Command {
  const tektite = new Command('tektite')
    .description('A Kubernetes control plane for installing software and running pipelines, with or without a cluster.')
    .version(version)
    .exitOverride()
    // Options after a command belong to that command: `new operator --version` is the version of a kind.
    .enablePositionalOptions()
    .configureHelp({ optionDescription: describeOption })
    .showHelpAfterError('(run with --help for what is possible)')
    .addHelpText(
      'after',
      `
Examples:
  $ tektite doctor                               check what this machine offers and lacks
  $ tektite up                                   serve a Kubernetes API on this machine
  $ export KUBECONFIG=~/.tektite/kubeconfig      let kubectl use it
  $ kubectl get namespaces
  $ tektite run -f pipeline.yaml                 run a pipeline to its end, with no cluster
  $ tektite plan -f release.yaml                 show the exact diff of an apply
  $ tektite apply -f release.yaml --wait         install it, here or on any cluster
  $ tektite new operator shop                    create an operator in the folder shop
  $ tektite up --systems ./shop                  run it`,
    );
  tektite.commandsGroup('Control plane of this machine:');
  addClusterCommands(tektite);
  addImageCommands(tektite);
  addMachineCommands(tektite);
  tektite.commandsGroup('Tasks and pipelines:');
  addRunCommands(tektite);
  tektite.commandsGroup('Installing software:');
  addManifestCommands(tektite);
  tektite.commandsGroup('Operators and hosts:');
  addOperatorCommands(tektite);
  addConnectorCommands(tektite);
  addByohCommands(tektite);
  return tektite;
}

/** Prints an error as a sentence, and gives the exit code. The module that knows them all is loaded only for that. */
async function fail(error: unknown): Promise<number> {
  // Usage errors: commander has printed them already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (isOutputClosed()) return Number(process.exitCode ?? 1);
  const { describeError, errorText } = await import('./report-error.ts');
  process.stderr.write(errorText(error));
  return describeError(error).exitCode;
}

/**
 * A failure that no command waits for: the process is in no state to go on. It ends also when modules cannot be loaded any more,
 * because the package was replaced while it ran: else each failure to report one would be the next to report.
 */
async function failAtOnce(thrown: unknown): Promise<never> {
  const code = await fail(thrown).catch(() => {
    process.stderr.write(`tektite: ${String(thrown)}\n`);
    return 1;
  });
  process.exit(code);
}

process.on('uncaughtException', (thrown) => void failAtOnce(thrown));
process.on('unhandledRejection', (thrown) => void failAtOnce(thrown));
endOnBrokenPipe();
try {
  const [runtime = '', script = '', ...words] = process.argv;
  const isController = words[0] === 'controller';
  await program().parseAsync([runtime, script, ...(isController ? goStyleFlags(words) : words)]);
} catch (error) {
  process.exitCode = await fail(error);
}
