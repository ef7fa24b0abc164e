import { Argument, type Command } from 'commander';
import { shells } from '../completion/completion-script.ts';
import { addClusterOptions, defaultDataDir, outputOption } from './option-values.ts';

/** The commands about this program and this machine. Their modules are loaded when they run. */
export function addMachineCommands(tektite: Command): void {
  tektite
    .command('status')
    .description('show the control planes that run on this machine: address, process, systems, data folder, objects')
    .option('--data-dir <dir>', 'the data folder of the control plane', defaultDataDir())
    .addOption(outputOption(['text', 'json'], 'text or json'))
    .addHelpText('after', '\nThe exit code is 0 when a control plane runs, and 1 when none does.')
    .action(async (options) => (await import('../commands/status.ts')).status(options));

  tektite
    .command('stop')
    .description('stop the control plane of a data folder and wait until its process has ended')
    .option('--data-dir <dir>', 'the data folder of the control plane', defaultDataDir())
    .option('--timeout <duration>', 'how long it may take', '30s')
    .addHelpText('after', '\nIts state stays in the data folder: the next `tektite up` continues with it.')
    .action(async (options) => (await import('../commands/stop.ts')).stop(options));

  addClusterOptions(tektite.command('version'))
    .description('print the versions of tektite, of Node.js, and of the server when it can be reached')
    .option('--client', 'do not ask the server')
    .addOption(outputOption(['text', 'json'], 'text or json'))
    .action(async (options) => (await import('../commands/version.ts')).version(options));

  tektite
    .command('completion')
    .description('print the script that completes commands, options and names of runs in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(tektite completion bash)            in this shell; in ~/.bashrc for all
  $ source <(tektite completion zsh)             the same for zsh, after compinit
  $ tektite completion fish | source             the same for fish`,
    )
    .action(async (shell) => (await import('../commands/completion.ts')).completion(shell));

  tektite
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words) => (await import('../commands/completion.ts')).complete(tektite, words));
}
