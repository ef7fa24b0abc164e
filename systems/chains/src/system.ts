import { generateKeyPairSync } from 'node:crypto';
import { type Client, ignoreNotFound, kinds } from '@tektite/client';
import type { System, SystemServices } from '@tektite/controller';
import { ConfigStore, customConfig } from '@tektite/controller/config';
import { isStatusError, type KubeObject } from '@tektite/meta';
import type { PolicyRule } from '@tektite/schema/kubernetes';
import { parseChainsConfig } from './config/chains-config.ts';
import { pipelineRunController } from './controllers/pipeline-run/controller.ts';
import { secretName, type SigningOptions } from './controllers/sign-run.ts';
import { taskRunController } from './controllers/task-run/controller.ts';

export interface ChainsOptions {
  /** Where `chains-config` and `signing-secrets` are. Default `tekton-chains`. */
  readonly namespace?: string;
  /** Makes a key where the Secret is not there. Default no: upstream leaves it to people, and marks runs as failed. */
  readonly generatesKey?: boolean;
}

const chainsConfig = customConfig('chains-config', parseChainsConfig);

/**
 * Tekton Chains as a system: the provenance of completed runs, signed and stored.
 *
 * @example
 * await startSystems([pipelinesSystem(), chainsSystem({ generatesKey: true })], { client });
 */
export function chainsSystem({ namespace = 'tekton-chains', generatesKey = false }: ChainsOptions = {}): System {
  const controllers = (options: SigningOptions) => [taskRunController(options), pipelineRunController(options)];
  return {
    name: 'chains',
    kinds: [],
    objects: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chains-config', namespace } },
    ] as readonly KubeObject[],
    controllers: controllers({ config: () => parseChainsConfig({}), namespace }),
    permissions,
    async configure({ client, log }: SystemServices) {
      const onError = (error: Error) => log.error('a setting is not in force', { error });
      const onWatchError = (error: Error) =>
        log.warn('settings cannot be watched, the last ones stay in force', { error });
      const store = new ConfigStore(client, { namespace, definitions: [chainsConfig], onError, onWatchError }).start();
      await store.synced();
      if (generatesKey) await ensureKey(client, namespace);
      const options = { config: () => store.get(chainsConfig), namespace };
      return { system: { controllers: controllers(options) }, stop: () => store.stop() };
    },
  };
}

/** Patches carry annotations and finalizers; Secrets and accounts are read for keys and for logins of registries, ConfigMaps for settings. */
const permissions: readonly PolicyRule[] = [
  { apiGroups: ['tekton.dev'], resources: ['taskruns', 'pipelineruns'], verbs: ['get', 'patch', 'update'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] },
];

/** A new pair of keys, once. The public one is beside it, for verifiers. */
async function ensureKey(client: Client, namespace: string): Promise<void> {
  const metadata = { name: secretName, namespace };
  if ((await client.get(kinds.Secret, metadata).catch(ignoreNotFound)) !== undefined) return;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const stringData = {
    'x509.pem': String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    'cosign.pub': String(publicKey.export({ format: 'pem', type: 'spki' })),
  };
  try {
    await client.create(kinds.Secret, { metadata, type: 'Opaque', stringData });
  } catch (error) {
    // Another replica was faster.
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}
