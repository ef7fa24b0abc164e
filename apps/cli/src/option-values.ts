import { type Command, Option } from 'commander';

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** The data folder of `tektite up` unless it is given another. */
export function defaultDataDir(): string {
  return `${process.env.HOME ?? '.'}/.tektite`;
}

/** The options of built-in systems. */
export function addSystemOptions(command: Command): Command {
  return command
    .option('--payload <folder>', 'connectors: the folder of payloads; default: $KO_DATA_PATH or /var/run/ko')
    .option('--allow-insecure-manifests', 'connectors: allow additional manifests over http')
    .option(
      '--allow-private-manifests',
      'connectors: allow additional manifests from loopback and link-local addresses',
    )
    .option(
      '--additional-manifests-cluster-scope',
      'connectors: allow additional manifests outside the namespace of the Connector, with the rights of the operator',
    );
}

/** The form of the output, the first being the default. */
export function outputOption(choices: readonly string[], description: string): Option {
  return new Option('-o, --output <form>', description).choices(choices).default(choices[0]);
}

/** The options of commands that ask a cluster, in kubectl's words. */
export function addClusterOptions(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'the kubeconfig of the cluster; default: $KUBECONFIG, or the control plane of this machine',
    )
    .option('--context <name>', 'the context of the kubeconfig; default: its current context')
    .option('--data-dir <dir>', 'the data folder of the control plane of this machine', defaultDataDir());
}
