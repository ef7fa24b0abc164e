import type { Command } from 'commander';
import { version } from '../version.ts';
import { collect } from '../option-values.ts';

/** The commands for those who ship applications with the Connectors operator. Their modules are loaded when they run. */
export function addConnectorCommands(tektite: Command): void {
  const connectors = tektite.command('connectors').description('package applications for the Connectors operator');
  connectors
    .command('new <component>')
    .description('create a payload: the manifests of an application, and a Connector for it')
    .option('--out <folder>', 'the folder; default: the name')
    .addHelpText('after', '\nExamples:\n  $ tektite connectors new shop')
    .action(async (name, options) => (await import('../commands/connectors-new.ts')).newPayload(name, options));
  connectors
    .command('bundle <component>')
    .description('package the manifests of an application as a versioned payload')
    .requiredOption('-f, --file <source>', 'a file, folder, URL, chart or kustomization; may be repeated', collect, [])
    .requiredOption('--release <version>', 'the version of the application')
    .option('--payload <folder>', 'the folder of payloads', 'kodata')
    .addHelpText('after', '\nExamples:\n  $ tektite connectors bundle shop -f deploy/ --release v1.4.0')
    .action(async (name, options) => (await import('../commands/connectors-bundle.ts')).bundlePayload(name, options));
  connectors
    .command('olm')
    .description('write a bundle for the Operator Lifecycle Manager: CSV, CRDs, annotations')
    .requiredOption('--payload <folder>', 'the payloads of the image in /var/run/ko; the RBAC rules are made for them')
    .requiredOption('--image <name>', 'the image of the operator')
    .option('--release <version>', 'the version of the operator', version)
    .option('--replaces <version>', 'the version that this one upgrades')
    .option('--package <name>', 'the name of the package', 'connectors-operator')
    .option('--channel <name>', 'the channel', 'alpha')
    .option('--provider <name>', 'the provider', 'Tektite')
    .option('--out <folder>', 'the folder', 'bundle')
    .addHelpText(
      'after',
      '\nExamples:\n  $ tektite connectors olm --payload kodata --image registry.example.com/shop-operator:1',
    )
    .action(async (options) => (await import('../commands/olm.ts')).writeOlmBundle('connectors', options));
}
