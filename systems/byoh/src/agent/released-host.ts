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

/** A host without anything that it had for its machine: any other may have it. */
export function releasedHost({ metadata, spec, status, ...rest }: ByoHost): ByoHost {
  const { bootstrapSecret: _, installationSecret: __, uninstallationScript: ___, ...otherSpec } = spec ?? {};
  const { machineRef: ____, ...otherStatus } = status ?? {};
  return {
    ...rest,
    metadata: {
      ...metadata,
      labels: without(metadata.labels, [clusterNameLabel, machineNameLabel]),
      annotations: without(metadata.annotations, [
        endpointAnnotation,
        cleanupAnnotation,
        versionAnnotation,
        registryAnnotation,
        machineNameAnnotation,
      ]),
    },
    spec: otherSpec,
    status: otherStatus,
  };
}

function without(
  map: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.includes(key)));
}
