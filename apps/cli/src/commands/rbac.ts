import { clusterRoleFor, namespaceRoleFor, type System } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import { putOut } from '../manifest-output.ts';
import { loadSystems } from '../catalog/load-systems.ts';

export interface RbacOptions {
  readonly systems: string;
  readonly systemNamespace: string;
  readonly serviceAccount: string;
  readonly webhookService: string;
  readonly output: string;
  readonly check?: string;
  readonly payload?: string;
}

/** `tektite rbac`: the account that systems run as on a cluster, and all that it is allowed. */
export async function rbac(options: RbacOptions): Promise<void> {
  const systems = await loadSystems(options.systems, options);
  const objects = [account(options), ...systems.flatMap((system) => rolesOf(system, options))];
  const { output, check } = options;
  await putOut(objects, { output, command: commandOf(options), ...(check === undefined ? {} : { check }) });
}

function account({ serviceAccount, systemNamespace }: RbacOptions): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: serviceAccount, namespace: systemNamespace },
  };
}

function rolesOf(system: System, options: RbacOptions): readonly KubeObject[] {
  const { systemNamespace: namespace, webhookService } = options;
  const roles: KubeObject[] = [clusterRoleFor(system), namespaceRoleFor(system, { namespace, webhookService })];
  return roles.flatMap((role) => [role, bindingOf(role, options)]);
}

function bindingOf({ kind, metadata }: KubeObject, { serviceAccount, systemNamespace }: RbacOptions): KubeObject {
  const apiGroup = 'rbac.authorization.k8s.io';
  const binding = {
    apiVersion: `${apiGroup}/v1`,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup, kind, name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: serviceAccount, namespace: systemNamespace }],
  };
  return binding;
}

/** The same command again: what was left at its default is left out. */
function commandOf({ systems, systemNamespace, serviceAccount, webhookService, output }: RbacOptions): string {
  const flags = [
    systemNamespace === rbacDefaults.systemNamespace ? '' : ` --system-namespace ${systemNamespace}`,
    serviceAccount === rbacDefaults.serviceAccount ? '' : ` --service-account ${serviceAccount}`,
    webhookService === rbacDefaults.webhookService ? '' : ` --webhook-service ${webhookService}`,
    output === 'yaml' ? '' : ` -o ${output}`,
  ];
  return `tektite rbac --systems ${systems}${flags.join('')}`;
}

const rbacDefaults = {
  systemNamespace: 'default',
  serviceAccount: 'tektite-controller',
  webhookService: 'tektite-webhook',
};
