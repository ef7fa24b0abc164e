import { type InferType, type ObjectOf, s } from '@tektite/schema';
import { byohKind } from './byoh-kind.ts';
import { objectReference } from './object-reference.ts';

const installerSpec = s.object({
  bundleRepo: s.string().describe('Where bundles are: a registry, oci-layout:/path or dir:/path'),
  bundleType: s.string().describe('Which kind of bundle; there is k8s'),
  proxy: s
    .object({
      httpProxy: s.string().optional(),
      httpsProxy: s.string().optional(),
      noProxy: s.list(s.string()).optional(),
    })
    .optional()
    .describe('What the installation and containerd go through'),
  scriptFlavor: s
    .enum('stateful', 'upstream')
    .optional()
    .describe(
      'stateful, the default: undoes exactly what it did. upstream: the steps of the original, with its limits',
    ),
});
export type K8sInstallerSpec = InferType<typeof installerSpec>;

/** The status that every installer config needs; the contract for other installers too. */
const installerStatus = s.object({
  failureMessage: s.string().optional().describe('What is wrong, for people'),
  failureReason: s.string().optional().describe('What is wrong, for programs'),
  installationSecret: objectReference.optional().describe('Where the scripts are'),
  ready: s.boolean().optional().describe('Whether they are there'),
});
export type InstallerStatus = InferType<typeof installerStatus>;

/** The default installer's config for one machine; created from the template that the machine refers to. */
export const K8sInstallerConfig = byohKind({
  kind: 'K8sInstallerConfig',
  description: 'Scripts for one machine, by the default installer',
  fields: { spec: installerSpec.optional(), status: installerStatus.optional() },
});
export type K8sInstallerConfig = ObjectOf<typeof K8sInstallerConfig>;

export const K8sInstallerConfigTemplate = byohKind({
  kind: 'K8sInstallerConfigTemplate',
  description: 'The template of K8sInstallerConfigs',
  fields: {
    spec: s.object({ template: s.object({ spec: installerSpec }) }).optional(),
    status: s.object({}).optional(),
  },
});
export type K8sInstallerConfigTemplate = ObjectOf<typeof K8sInstallerConfigTemplate>;
