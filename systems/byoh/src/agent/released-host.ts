import type { ByoHost } from '../kinds/byo-host.ts';
import {
  cleanupAnnotation,
  clusterNameLabel,
  endpointAnnotation,
  machineNameAnnotation,
  machineNameLabel,
  registryAnnotation,
  versionAnnotation,
} from '../wire-names.ts';

/** The first part of releasing a host: it has no machine any more, and cannot be claimed yet. */
export function withoutMachine({ status, ...rest }: ByoHost): ByoHost {
  const { machineRef: _, ...other } = status ?? {};
  return { ...rest, status: other };
}

/**
 * The last part: all state of its machine is removed, and from then on the host can be claimed. A host that is not
 * being released, because that is done already, stays as it is: it may be claimed by now.
 */
export function releasedHost(host: ByoHost): ByoHost {
  const { metadata, spec } = host;
  if (!Object.hasOwn(metadata.annotations ?? {}, cleanupAnnotation)) return host;
  const { bootstrapSecret: _, installationSecret: __, uninstallationScript: ___, ...otherSpec } = spec ?? {};
  const annotations = [
    endpointAnnotation,
    cleanupAnnotation,
    versionAnnotation,
    registryAnnotation,
    machineNameAnnotation,
  ];
  return {
    ...host,
    metadata: {
      ...metadata,
      labels: without(metadata.labels, [clusterNameLabel, machineNameLabel]),
      annotations: without(metadata.annotations, annotations),
    },
    spec: otherSpec,
  };
}

function without(
  map: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.includes(key)));
}
