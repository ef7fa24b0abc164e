import { equalJson } from '@tektite/meta';
import type { ByoCluster } from '../kinds/byo-cluster.ts';

/**
 * Why the change of a ByoCluster is refused, if it is: Cluster API reads the endpoint once, and nodes, certificates and kubeconfigs have
 * it from then on. One without a host may be completed.
 */
export function objectionToEndpoint(cluster: ByoCluster, old: ByoCluster | undefined): string | undefined {
  const before = old?.spec?.controlPlaneEndpoint;
  if (!before?.host || equalJson(before, cluster.spec?.controlPlaneEndpoint)) return undefined;
  // The controller fills in the port.
  const isCompleted = !before.port && cluster.spec?.controlPlaneEndpoint?.host === before.host;
  if (isCompleted) return undefined;
  return `spec.controlPlaneEndpoint: field is immutable once it has a host (${before.host}:${before.port})`;
}
