import { type ImageReference, isOfThisMachine, mayBePlain } from '../image-reference.ts';
import type { Login } from '../login.ts';
import { type ReadManifest, RegistryClient } from '../registry-client.ts';
import { isStoreError, StoreError } from '../store-error.ts';
import { dialOrigins } from './dial-origins.ts';
import { fullName } from './image-record.ts';

/** Finds the credentials for an image, the best first. None: the registry is asked anonymously. */
export type CredentialSource = (image: ImageReference, signal: AbortSignal) => Promise<readonly Login[]>;

/** How registries are reached. */
export interface RegistrySettings {
  /** Origins that are asked before a registry, by its name: `{ 'docker.io': ['https://mirror.example'] }`. */
  readonly mirrors?: Readonly<Record<string, readonly string[]>>;
  /** Registries that may speak plain HTTP, besides those of this machine and of private networks. */
  readonly insecure?: readonly string[];
  /** Ask no registry but those of this machine: all other images are those of the store. */
  readonly offline?: boolean;
}

/** How long the first connection to a registry may take, unless the caller has less patience. */
const defaultDialTimeoutMs = 10_000;

/** A registry that has the image, and the document that it has under the image's name. */
export interface Connection {
  readonly client: RegistryClient;
  readonly document: ReadManifest;
}

/**
 * Asks the mirrors of a registry, then the registry, with each login until one is accepted. A mirror gets the logins for its own name,
 * never those of the registry. Rejects with the registry's answer (REGISTRY_FAILED), or the reason for
 * there being none (REGISTRY_UNREACHABLE).
 */
export async function connectRegistry(
  image: ImageReference,
  settings: RegistrySettings,
  credentials: CredentialSource,
  signal: AbortSignal,
  dialTimeoutMs: number = defaultDialTimeoutMs,
): Promise<Connection> {
  const mirrors = mirrorsOf(image, settings);
  const isPlain = settings.insecure?.includes(image.registry) || mayBePlain(image.registry);
  const failed = (error: Error, code: 'REGISTRY_FAILED' | 'REGISTRY_UNREACHABLE') =>
    new StoreError(code, `failed to resolve reference ${JSON.stringify(fullName(image))}: ${error.message}`, {
      cause: error,
    });
  if (settings.offline && !isOfThisMachine(image.registry))
    throw failed(new Error('registries are not asked: offline'), 'REGISTRY_UNREACHABLE');
  const own = [...(isPlain ? [`http://${image.registry}`] : []), `https://${image.registry}`];
  await dialOrigins([...mirrors, ...own], { timeoutMs: dialTimeoutMs, signal }).catch((error: Error) => {
    signal.throwIfAborted();
    throw failed(error, 'REGISTRY_UNREACHABLE');
  });
  for (const origin of mirrors) {
    try {
      return await connect({ ...image, registry: new URL(origin).host }, { origin }, credentials, signal);
    } catch {
      signal.throwIfAborted();
    }
  }
  try {
    return await connect(image, { mayBePlain: isPlain }, credentials, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isStoreError(error)) throw error;
    // Errors of the network have a cause; answers of the registry have none.
    const { cause } = error as Error;
    throw failed(error as Error, cause === undefined ? 'REGISTRY_FAILED' : 'REGISTRY_UNREACHABLE');
  }
}

function mirrorsOf({ registry }: ImageReference, { mirrors = {} }: RegistrySettings): readonly string[] {
  const named = mirrors[registry] ?? (registry === 'index.docker.io' ? mirrors['docker.io'] : undefined) ?? [];
  return named.map((each) => (/^https?:\/\//.test(each) ? each.replace(/\/+$/, '') : `https://${each}`));
}

async function connect(
  image: ImageReference,
  options: ConstructorParameters<typeof RegistryClient>[3],
  credentials: CredentialSource,
  signal: AbortSignal,
): Promise<Connection> {
  const logins = await credentials(image, signal);
  let failure: unknown;
  for (const login of logins.length > 0 ? logins : [undefined]) {
    const client = new RegistryClient(image, login, signal, options);
    try {
      return { client, document: await client.describe() };
    } catch (error) {
      failure = error;
      signal.throwIfAborted();
    }
  }
  throw failure;
}
