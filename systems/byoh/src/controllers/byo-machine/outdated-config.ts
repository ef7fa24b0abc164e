import { plainVersion } from '../../host/change-host.ts';
import type { InstallerConfig } from '../../installer/decide-installer.ts';
import type { ByoHost } from '../../kinds/byo-host.ts';
import type { Machine } from '../../kinds/cluster-api.ts';
import { conditionOf } from '../../kinds/cluster-condition.ts';
import { installationCondition } from '../../kinds/host-conditions.ts';
import { versionAnnotation } from '../../wire-names.ts';

/**
 * Whether the config of the installer was made for another version than the Machine has now. Its scripts are replaced until they
 * run on the host; from then on the host keeps the version that it got.
 */
export function isOutdated(config: InstallerConfig, owner: Machine, host: ByoHost | undefined): boolean {
  const version = plainVersion(owner);
  const made = config.metadata.annotations?.[versionAnnotation] ?? '';
  if (version === '' || made === '' || made === version) return false;
  const { status, reason } = conditionOf(host?.status?.conditions, installationCondition) ?? {};
  return status !== 'True' && reason !== 'K8sComponentsInstalling';
}

/** The host for scripts of the version that its Machine has now: those of the former version are not run. */
export function withoutScripts(host: ByoHost, owner: Machine): ByoHost {
  const { installationSecret: _, ...spec } = host.spec ?? {};
  const annotations = { ...host.metadata.annotations, [versionAnnotation]: plainVersion(owner) };
  return { ...host, metadata: { ...host.metadata, annotations }, spec };
}
