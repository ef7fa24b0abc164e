import type { Kind } from '@tektite/schema';
import { BootstrapKubeconfig } from './bootstrap-kubeconfig.ts';
import { ByoCluster, ByoClusterTemplate } from './byo-cluster.ts';
import { ByoHost } from './byo-host.ts';
import { ByoMachine, ByoMachineTemplate } from './byo-machine.ts';
import { K8sInstallerConfig, K8sInstallerConfigTemplate } from './k8s-installer-config.ts';

/** All kinds that this system defines. */
export const allKinds: readonly Kind[] = [
  ByoHost,
  ByoMachine,
  ByoMachineTemplate,
  ByoCluster,
  ByoClusterTemplate,
  K8sInstallerConfig,
  K8sInstallerConfigTemplate,
  BootstrapKubeconfig,
] as readonly unknown[] as readonly Kind[];
