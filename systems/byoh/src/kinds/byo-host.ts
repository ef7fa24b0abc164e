import { type InferType, type ObjectOf, s } from '@tektite/schema';
import { byohKind } from './byoh-kind.ts';
import { clusterCondition } from './cluster-condition.ts';
import { objectReference } from './object-reference.ts';

/** Facts of a host. Empty fields are not known yet. */
export const hostInfo = s.object({
  architecture: s.string().optional().describe('The architecture of the host'),
  osimage: s.string().optional().describe('Which release of the operating system it runs'),
  osname: s.string().optional().describe('Its operating system'),
});
export type HostInfo = InferType<typeof hostInfo>;

const network = s.object({
  connected: s.boolean().optional(),
  ipAddrs: s.list(s.string()).optional(),
  isDefault: s.boolean().optional(),
  macAddr: s.string(),
  networkInterfaceName: s.string().optional(),
});
export type HostNetwork = InferType<typeof network>;

/** A host of the pool. Its agent registers it and reconciles it. */
export const ByoHost = byohKind({
  kind: 'ByoHost',
  shortNames: ['byoh'],
  description: 'A host that can become a node',
  columns: [
    { name: 'OSName', type: 'string', jsonPath: '.status.hostinfo.osname' },
    { name: 'OSImage', type: 'string', jsonPath: '.status.hostinfo.osimage' },
    { name: 'Arch', type: 'string', jsonPath: '.status.hostinfo.architecture' },
  ],
  fields: {
    spec: s
      .object({
        bootstrapSecret: objectReference.optional().describe('The cloud-config that makes it a node'),
        installationSecret: objectReference.optional().describe('The scripts that install and uninstall Kubernetes'),
        uninstallationScript: s.string().optional().describe('How to undo the installation; written by the agent'),
      })
      .optional(),
    status: s
      .object({
        conditions: s.list(clusterCondition).optional(),
        hostinfo: hostInfo.optional(),
        machineRef: objectReference.optional().describe('The ByoMachine that has this host'),
        network: s.list(network).optional(),
      })
      .optional(),
  },
});
export type ByoHost = ObjectOf<typeof ByoHost>;
