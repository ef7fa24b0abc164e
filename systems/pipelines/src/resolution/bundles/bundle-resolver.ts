import { goDurationToMilliseconds, parseGoDuration } from '@tektite/go';
import { backoffOf, retry } from '../backoff.ts';
import type { Resolver, ResolverRequest } from '../resolver.ts';
import { checkBundle, entryAnnotations, entryContent, findEntry } from './bundle-entry.ts';
import { type ImageReference, type Manifest, parseImageReference, RegistryClient } from '@tektite/oci';
import { loginFor } from './registry-credentials.ts';

/** Objects that are layers of images in a registry. */
export const bundleResolver: Resolver = {
  type: 'bundles',
  name: 'bundleresolver',
  configName: 'bundleresolver-config',
  defaultConfig: { 'default-service-account': 'default', 'default-kind': 'task' },
  validate(request) {
    readParams(request);
  },
  isImmutable: ({ params }) => (params.get('bundle') ?? '').includes('@sha256:'),
  timeoutMs({ config }) {
    try {
      return goDurationToMilliseconds(parseGoDuration(config['fetch-timeout'] ?? '1m'));
    } catch {
      return 60_000;
    }
  },
  async resolve(request, place) {
    const { image, bundle, name, kind, serviceAccount, secret } = readParams(request);
    const { namespace } = request;
    const login = await loginFor(image, { namespace, serviceAccount, secret }, place);
    const client = new RegistryClient(image, login, place.signal, { authorities: place.authorities ?? '' });
    const backoff = backoffOf(request.config);
    const manifest = await retry(backoff, place, () => client.manifest()).catch(
      explained('cannot retrieve the oci image', place.signal),
    );
    checkCompliance(manifest, bundle);
    const layer = findEntry(manifest, kind, name);
    const blob = await retry(backoff, place, () => client.blob(layer.digest)).catch(
      explained('failed to read image layer', place.signal),
    );
    const [algorithm = '', digest = ''] = manifest.digest.split(':');
    return {
      data: entryContent(blob),
      annotations: entryAnnotations(layer),
      refSource: { uri: `${image.registry}/${image.repository}`, digest: { [algorithm]: digest }, entryPoint: name },
    };
  },
};

function explained(what: string, signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    if (signal.aborted) throw error;
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  };
}

function checkCompliance(manifest: Manifest, bundle: string): void {
  try {
    checkBundle(manifest);
  } catch (cause) {
    throw new Error(`invalid tekton bundle ${bundle}, error: ${(cause as Error).message}`, { cause });
  }
}

interface BundleParams {
  readonly image: ImageReference;
  readonly bundle: string;
  readonly name: string;
  readonly kind: string;
  readonly serviceAccount: string;
  readonly secret: string;
}

/** Throws for a request that cannot be answered, in upstream's words and order. */
function readParams({ params, config }: ResolverRequest): BundleParams {
  const standard = (key: string, what: string) => {
    const value = config[key];
    if (value === undefined) throw new Error(`default ${what} was not set during installation of the bundle resolver`);
    return value;
  };
  const required = (name: string) => {
    const value = params.get(name);
    if (!value) throw new Error(`parameter "${name}" required`);
    return value;
  };
  const serviceAccount = params.get('serviceAccount') || standard('default-service-account', 'Service Account');
  const bundle = required('bundle');
  const image = readReference(bundle);
  const name = required('name');
  const kind = params.get('kind') || standard('default-kind', 'resource Kind');
  return { image, bundle, name, kind, serviceAccount, secret: params.get('secret') ?? '' };
}

function readReference(bundle: string): ImageReference {
  try {
    return parseImageReference(bundle);
  } catch (cause) {
    throw new Error(`invalid bundle reference: ${(cause as Error).message}`, { cause });
  }
}
