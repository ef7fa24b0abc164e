import type { DynamicObject } from '@tektite/meta';
import { connectorsInstallation } from '../release/connectors-release.ts';
import { entrypointImage, type OwnProgram, shellImage } from '../release/own-program.ts';
import type { OlmDescription } from '../release/olm-bundle.ts';
import { clusterValues, type ReleaseValues } from '../release/release-values.ts';
import type { SystemRelease } from '../release/system-objects.ts';
import { UserError } from '../user-error.ts';
import { operatorInstallation } from './operator-release.ts';

export interface OlmPackageOptions {
  /** Of the operator. */
  readonly version: string;
  /** connectors: the payloads of the image, as they are on this machine: the rights are for them. */
  readonly payload?: string;
}

/** An operator that the Operator Lifecycle Manager can install. */
export interface OlmPackage {
  /** Of the package, where its user gives no other. */
  readonly name: string;
  readonly values?: Partial<ReleaseValues>;
  installation(values: ReleaseValues, options: OlmPackageOptions): SystemRelease | Promise<SystemRelease>;
  /** Texts of the catalog, and objects that show the kinds that are defined. */
  describe(definitions: readonly DynamicObject[]): OlmDescription;
}

const connectors: OlmPackage = {
  name: 'connectors-operator',
  installation: (_, { version, payload }) =>
    connectorsInstallation({
      namespace: 'connectors-operator',
      version: `v${version}`,
      ...(payload === undefined ? {} : { payload }),
    }),
  describe: () => ({
    displayName: 'Connectors operator',
    description: `Deploys applications from YAML with a Connector.

A Connector names an application that the operator has the YAML of. The operator installs it into the namespace of the Connector, with the
labels, annotations, registry and changes to workloads that it asks for, keeps it, upgrades and removes it.`,
    categories: 'Application Runtime',
    keywords: ['deploy', 'yaml', 'connectors'],
    examples: [
      {
        apiVersion: 'operator.connectors.alauda.io/v1alpha1',
        kind: 'Connector',
        metadata: { name: 'example', namespace: 'default' },
        spec: { component: 'example', labels: { team: 'a' } },
      },
    ],
  }),
};

const targetNamespace = 'tekton-pipelines';

/** Names that components must have. Others may have any. */
const componentNames: Readonly<Record<string, string>> = {
  TektonConfig: 'config',
  TektonPipeline: 'pipeline',
  TektonTrigger: 'trigger',
  TektonDashboard: 'dashboard',
  TektonChain: 'chain',
  TektonResult: 'result',
  TektonAddon: 'addon',
  TektonPruner: 'pruner',
};

/** Specs of kinds that want more than a namespace for a component, or none. */
const specs: Readonly<Record<string, object>> = {
  TektonConfig: { profile: 'basic', targetNamespace },
  TektonTrigger: { targetNamespace, disabled: false },
  TektonDashboard: { targetNamespace, readonly: true },
  TektonChain: { targetNamespace, disabled: false },
  TektonResult: { targetNamespace, disabled: false, is_external_db: false },
  TektonPruner: { targetNamespace, disabled: false, 'global-config': { historyLimit: 100 } },
  TektonScheduler: {
    targetNamespace,
    disabled: true,
    'config.yaml': {},
    'multi-cluster-disabled': true,
    'multi-cluster-role': '',
  },
  TektonInstallerSet: { manifests: [] },
  SyncerService: {},
};

function exampleOf({ spec }: DynamicObject): DynamicObject {
  const { group, names, versions } = spec as unknown as {
    readonly group: string;
    readonly names: { readonly kind: string; readonly singular: string };
    readonly versions: readonly { readonly name: string }[];
  };
  const { kind, singular } = names;
  return {
    apiVersion: `${group}/${versions[0]?.name}`,
    kind,
    metadata: { name: componentNames[kind] ?? singular },
    spec: specs[kind] ?? { targetNamespace },
  };
}

const tektonOperator: OlmPackage = {
  name: 'tekton-operator',
  values: { entrypointImage, shellImage, autoInstall: { enabled: true, namespace: targetNamespace } },
  installation: (values, { version }) => operatorInstallation(`v${version}`, values),
  describe: (definitions) => ({
    displayName: 'Tekton Operator',
    description: `Installs Tekton and keeps it: Pipelines, Triggers, Chains, Results and the Dashboard.

A TektonConfig names a profile, the namespace and the settings of components. The operator installs what the profile has, passes settings on,
upgrades components in place, goes back when that fails, and deletes old runs.`,
    categories: 'Integration & Delivery, Developer Tools',
    keywords: ['tekton', 'pipelines', 'ci', 'cd'],
    examples: definitions.map((definition) => exampleOf(definition)),
  }),
};

const packages: Readonly<Record<string, OlmPackage>> = { connectors, 'tekton-operator': tektonOperator };

export function findOlmPackage(system: string): OlmPackage {
  const found = Object.hasOwn(packages, system) ? packages[system] : undefined;
  if (found) return found;
  throw new UserError(
    `there is no operator ${JSON.stringify(system)}; give one of ${Object.keys(packages).join(', ')}`,
  );
}

/** The values of an operator that the Operator Lifecycle Manager runs: it decides on what stands around the Deployment. */
export function olmValues({ values }: OlmPackage, program: OwnProgram, given: Partial<ReleaseValues>): ReleaseValues {
  return { ...clusterValues(program), ...values, ...given, podDisruptionBudget: false, networkPolicy: false };
}
