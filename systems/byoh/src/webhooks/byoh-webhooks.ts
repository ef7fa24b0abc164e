import type { Client } from '@tektite/client';
import { type AdmissionWebhook, type ReviewUser, validating, validatingWebhook } from '@tektite/controller/webhook';
import { equalJson, type KubeObject, StatusError } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { findObject } from '../find-object.ts';
import { readHome } from '../host/host-home.ts';
import { BootstrapKubeconfig } from '../kinds/bootstrap-kubeconfig.ts';
import { ByoCluster } from '../kinds/byo-cluster.ts';
import { ByoHost } from '../kinds/byo-host.ts';
import { ByoMachine, ByoMachineTemplate } from '../kinds/byo-machine.ts';
import { K8sInstallerConfigTemplate } from '../kinds/k8s-installer-config.ts';
import { topologyDryRunAnnotation } from '../wire-names.ts';
import { objectionToEndpoint } from '../rules/endpoint-policy.ts';
import { validateBootstrapKubeconfig } from '../rules/bootstrap-kubeconfig-policy.ts';
import { type HostPolicy, hostOfUser, objectionToWrite } from '../rules/host-policy.ts';

export interface ByohWebhookOptions extends HostPolicy {
  /** The namespace of the records of homes. */
  readonly records: string;
  /** Reads the machine and the home of a host. Without it, the machine exists and each host is at home. */
  readonly client?: Client;
  /** Endpoints of ByoClusters cannot change once they have a host. Default no, as upstream. */
  readonly fixedEndpoints?: boolean;
}

/** The webhooks of this system: upstream's two, one that keeps templates as they are, and on request one that keeps endpoints. */
export function byohWebhooks(options: ByohWebhookOptions): readonly AdmissionWebhook[] {
  return [
    validatingWebhook({
      name: 'vbyohost.kb.io',
      path: '/validate-infrastructure-cluster-x-k8s-io-v1beta1-byohost',
      rules: [
        validating(
          ByoHost,
          async (host, { operation, old, subresource, userInfo: user }) => {
            const home = await homeFor(user, host, options);
            refuse(objectionToWrite({ operation, old, subresource, user, host, home }, options));
            if (operation === 'DELETE' && host.status?.machineRef && (await isInUse(host, options.client)))
              refuse('cannot delete ByoHost when MachineRef is assigned');
            return undefined;
          },
          { operations: ['CREATE', 'UPDATE', 'DELETE'], subresources: ['status'] },
        ),
      ],
    }),
    validatingWebhook({
      name: 'vbootstrapkubeconfig.kb.io',
      path: '/validate-infrastructure-cluster-x-k8s-io-v1beta1-bootstrapkubeconfig',
      rules: [
        validating(BootstrapKubeconfig, (object) => {
          const error = validateBootstrapKubeconfig(object);
          refuse(error && `${error.field}: ${error.message}`);
          return undefined;
        }),
      ],
    }),
    validatingWebhook({
      name: 'vbyohtemplates.tektite.dev',
      path: '/validate-infrastructure-cluster-x-k8s-io-v1beta1-templates',
      rules: [immutable(ByoMachineTemplate), immutable(K8sInstallerConfigTemplate)],
    }),
    ...(options.fixedEndpoints ? [endpointWebhook] : []),
  ];
}

const endpointWebhook = validatingWebhook({
  name: 'vbyocluster.tektite.dev',
  path: '/validate-infrastructure-cluster-x-k8s-io-v1beta1-byocluster',
  rules: [
    validating(
      ByoCluster,
      (cluster, { old }) => {
        refuse(objectionToEndpoint(cluster, old));
        return undefined;
      },
      { operations: ['UPDATE'] },
    ),
  ],
});

function refuse(message: string | undefined): void {
  if (message !== undefined) throw new StatusError({ code: 403, reason: 'Forbidden', message });
}

/** The home of the agent that writes; others have none. Read from the API each time: a cache may be behind a change of rights. */
async function homeFor(
  { username = '' }: ReviewUser,
  { metadata }: ByoHost,
  { client, records }: ByohWebhookOptions,
): Promise<string | undefined> {
  const agentOf = hostOfUser(username);
  if (agentOf === undefined || !client) return metadata.namespace;
  return readHome(client, records, agentOf);
}

async function isInUse({ status }: ByoHost, client: Client | undefined): Promise<boolean> {
  const { namespace = '', name, uid } = status?.machineRef ?? {};
  if (!client) return true;
  const machine = await findObject(client, ByoMachine, namespace, name);
  return machine !== undefined && machine.metadata.uid === uid;
}

interface Template extends KubeObject {
  readonly spec?: unknown;
}

/** A template that changes would say something else of what was made from it. */
function immutable<T extends Template>(kind: Kind<T>): ReturnType<typeof validating> {
  return validating(kind, (object, { old }) => {
    const isDryRun = Object.hasOwn(object.metadata.annotations ?? {}, topologyDryRunAnnotation);
    if (old && !isDryRun && !equalJson(old.spec, object.spec))
      refuse(`spec of ${object.kind} ${object.metadata.name} cannot change; make a new template and refer to that`);
    return undefined;
  });
}
