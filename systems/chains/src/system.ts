import { generateKeyPairSync } from 'node:crypto';
import { type Client, isConflict, kinds } from '@tektite/client';
import type { System, SystemServices } from '@tektite/controller';
import { ConfigStore, customConfig } from '@tektite/controller/config';
import type { KubeObject } from '@tektite/meta';
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

/** The version of upstream whose formats and settings these are. */
export const chainsVersion = 'v0.29.2';

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
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'chains-info', namespace },
        data: { version: chainsVersion },
      },
    ] as readonly KubeObject[],
    controllers: controllers({ config: () => parseChainsConfig({}), namespace }),
    permissions: generatesKey ? [...permissions, ...createKeys] : permissions,
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
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
];

/** A Secret of a release is there, and empty. */
const createKeys: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: [secretName], verbs: ['update'] },
];

/** A new pair of keys, where there is none. The public one is beside it, for verifiers. */
async function ensureKey(client: Client, namespace: string): Promise<void> {
  const metadata = { name: secretName, namespace };
  const found = await client.getOrUndefined(kinds.Secret, metadata);
  if (Object.keys(found?.data ?? {}).length > 0) return;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const stringData = {
    'x509.pem': String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    'cosign.pub': String(publicKey.export({ format: 'pem', type: 'spki' })),
  };
  try {
    if (found) await client.update(kinds.Secret, { ...found, stringData });
    else await client.create(kinds.Secret, { metadata, type: 'Opaque', stringData });
  } catch (error) {
    // Another replica was faster.
    if (!isConflict(error)) throw error;
  }
}
