import { Argument, type Command } from 'commander';
import { shells } from '../completion/completion-script.ts';
import { addClusterOptions, collect, defaultDataDir, outputOption } from '../option-values.ts';

/** The commands about this program and this machine. Their modules are loaded when they run. */
export function addMachineCommands(tektite: Command): void {
  tektite
    .command('doctor')
    .description('check that this machine has what Pods and pipelines need, and print the remedy for what is missing')
    .argument('[file...]', 'also check the images and programs that these Tasks, Pipelines or runs want')
    .option('-f, --file <file>', 'the same, as kubectl writes it; several times for several', collect, [])
    .option('--images <file>', 'with files: the mapping of images, as for `tektite run`')
    .option('--runtime <name>', 'with files: how steps would run: auto, images or host', 'auto')
    .option('--data-dir <dir>', 'the data folder whose disk is checked', defaultDataDir())
    .option('--port <number>', 'the port that `tektite up` would serve', '6443')
    .addOption(outputOption(['text', 'json'], 'text, or json for a list of {name, status, detail, remedy}'))
    .addHelpText(
      'after',
      `
The exit code is 1 when something is missing that Pods, or the steps of the file, cannot do without.

Examples:
  $ tektite doctor
  $ tektite doctor pipeline.yaml                 which of its images and programs this machine lacks`,
    )
    .action(async (files, options) => (await import('../commands/doctor.ts')).doctor(files, options));

  tektite
    .command('status')
    .description('show the control planes that run on this machine: address, process, systems, data folder, objects')
    .option('--data-dir <dir>', 'the data folder of the control plane', defaultDataDir())
    .addOption(outputOption(['text', 'json'], 'text or json'))
    .addHelpText(
      'after',
      '\nThe exit code is 0 when a control plane runs, and 1 when none does.\n\nExamples:\n  $ tektite status\n  $ tektite status --data-dir ./data -o json',
    )
    .action(async (options) => (await import('../commands/status.ts')).status(options));

  tektite
    .command('stop')
    .description('stop the control plane of a data folder and wait until its process has ended')
    .option('--data-dir <dir>', 'the data folder of the control plane', defaultDataDir())
    .option('--timeout <duration>', 'how long it may take', '30s')
    .addHelpText(
      'after',
      '\nIts state stays in the data folder: the next `tektite up` continues with it.\n\nExamples:\n  $ tektite stop\n  $ tektite stop --data-dir ./data --timeout 1m',
    )
    .action(async (options) => (await import('../commands/stop.ts')).stop(options));

  addClusterOptions(tektite.command('version'))
    .description('print the versions of tektite, of Node.js, and of the server when it can be reached')
    .option('--client', 'do not ask the server')
    .addOption(outputOption(['text', 'json'], 'text or json'))
    .addHelpText('after', '\nExamples:\n  $ tektite version\n  $ tektite version --client -o json')
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
