import type { Command } from 'commander';

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Where `tektite up` keeps its state unless it is told another place. */
export function defaultDataDir(): string {
  return `${process.env.HOME ?? '.'}/.tektite`;
}

/** The options of systems that come with the command. */
export function addSystemOptions(command: Command): Command {
  return command
    .option('--payload <folder>', 'connectors: the folder of payloads; default: $KO_DATA_PATH or /var/run/ko')
    .option('--allow-insecure-manifests', 'connectors: additional manifests by http, too')
    .option('--allow-private-manifests', 'connectors: additional manifests from loopback and link-local addresses, too')
    .option(
      '--additional-manifests-cluster-scope',
      'connectors: additional manifests outside of the namespace of the Connector, with the rights of the operator',
    );
}
