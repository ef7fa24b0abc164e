import type { Command } from 'commander';
import { addClusterOptions, addSystemOptions, defaultDataDir } from './option-values.ts';

/** The commands about the control plane of this machine. Their modules are loaded when they run. */
export function addClusterCommands(tektite: Command): void {
  addSystemOptions(tektite.command('up'))
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
    .action(async (options) => (await import('../commands/up.ts')).up(options));

  addClusterOptions(tektite.command('compact'))
    .description('compact old revisions of a running control plane: watches and lists of them then get 410 Gone')
    .action(async (options) => (await import('../commands/compact.ts')).compact(options));
}
