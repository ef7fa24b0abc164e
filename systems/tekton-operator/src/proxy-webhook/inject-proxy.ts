import { cloneJson } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { OperatorEnvironment } from '../platform/operator-environment.ts';
import { mountCertificates, withCertificateVolumes } from '../transform/certificate-bundles.ts';
import { proxyNames } from '../transform/environment-variables.ts';
import type { DraftContainer } from '../transform/workload.ts';

/**
 * The Pod of a run, with the proxy of this process and the certificates of its namespace in all containers. What a container has
 * itself goes before. Init containers stay as they are.
 */
export function injectProxy(pod: Pod, environment: OperatorEnvironment): Pod {
  const { spec } = pod;
  if (!spec) return pod;
  const containers = cloneJson(spec.containers ?? []) as DraftContainer[];
  for (const container of containers) {
    const known = new Set((container.env ?? []).map(({ name }) => name));
    const added = proxyNames.flatMap((name) => {
      const value = environment[name];
      return value && !known.has(name) ? [{ name, value }] : [];
    });
    if (added.length > 0) container.env = [...(container.env ?? []), ...added] as DraftContainer['env'] & object;
    mountCertificates(container);
  }
  return { ...pod, spec: { ...spec, containers, volumes: withCertificateVolumes(spec.volumes) } } as Pod;
}
