import { type Client, isClientError } from '@tektite/client';
import { Channel, type System, type SystemServices } from '@tektite/controller';
import { type DynamicObject, isStatusError, systemClock } from '@tektite/meta';
import type { PolicyRule } from '@tektite/schema/kubernetes';
import { connectorController } from './controllers/connector/controller.ts';
import { installManifestController } from './controllers/install-manifest/controller.ts';
import { Connector, group } from './kinds/connector.ts';
import { InstallManifest } from './kinds/install-manifest.ts';
import type { OperatorSettings } from './operator-settings.ts';
import { ManifestFetcher } from './payload/manifest-fetcher.ts';
import type { PayloadSource } from './payload/payload.ts';
import { Renderer } from './render/renderer.ts';
import { connectorsWebhooks } from './webhooks/connectors-webhooks.ts';
import type { OperatorUsers } from './rules/validate-install-manifest.ts';

export interface ConnectorsOptions extends OperatorSettings {
  readonly payloads: PayloadSource;
  /** Permissions beyond its own kinds to install the payloads; see `payloadPermissions`. */
  readonly permissions?: readonly PolicyRule[];
}

/**
 * The Connectors operator as a system.
 *
 * @example
 * await startSystems([connectorsSystem({ payloads: folderPayloads('/var/run/ko'), version: 'v1.0.0' })], { client });
 */
export function connectorsSystem(options: ConnectorsOptions): System {
  const { payloads, permissions = [] } = options;
  return {
    name: 'connectors',
    kinds: [Connector, InstallManifest],
    controllers: controllers(options),
    webhooks: connectorsWebhooks({ payloads, operatorUsers: () => options.operatorUsers }),
    permissions: [
      { apiGroups: [group], resources: ['installmanifests'], verbs: ['create', 'update', 'patch', 'delete', 'get'] },
      // Asked for where owner references are guarded.
      { apiGroups: [group], resources: ['installmanifests/finalizers'], verbs: ['update'] },
      ...permissions,
    ],
    async configure({ client }: SystemServices) {
      const users = options.operatorUsers ?? (await whoAmI(client));
      const system = {
        controllers: controllers(options, client),
        webhooks: connectorsWebhooks({ payloads, operatorUsers: () => users }),
      };
      return { system, stop: async () => {} };
    },
  };
}

function controllers(options: ConnectorsOptions, client?: Client) {
  const { payloads, version, workers, requeueMs = 10_000, resyncMs = 36_000_000, payloadCheckMs = 30_000 } = options;
  const fetcher = new ManifestFetcher(client?.clock ?? systemClock, {
    roots: options.manifestRoots ?? ['/manifests'],
    allowInsecure: options.allowInsecureManifests ?? false,
    allowPrivate: options.allowPrivateManifests ?? false,
    ...(options.environment ? { environment: options.environment } : {}),
    ...(options.certificateAuthority ? { certificateAuthority: options.certificateAuthority } : {}),
  });
  const allowClusterScope = options.additionalManifestsClusterScope ?? false;
  const renderer = new Renderer({ payloads, fetcher, operatorVersion: version, allowClusterScope });
  const nudges = new Channel('install manifests');
  const shared = { renderer, nudges, requeueMs, ...(workers === undefined ? {} : { workers }) };
  return [
    connectorController({ ...shared, payloads, operatorVersion: version, resyncMs, payloadCheckMs }),
    installManifestController(shared),
  ];
}

/** The user of this process. Servers before 1.28 do not report it; then all users are allowed. */
async function whoAmI(client: Client): Promise<OperatorUsers> {
  const review: DynamicObject = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  try {
    const { status } = await client.create(review);
    const { username } = (status as { userInfo?: { username?: string } } | undefined)?.userInfo ?? {};
    return username ? [username] : undefined;
  } catch (error) {
    if (isStatusError(error) || isClientError(error)) return undefined;
    throw error;
  }
}
