/** Where an image is: `registry/repository:tag` or `registry/repository@sha256:...`. */
export interface ImageReference {
  readonly registry: string;
  readonly repository: string;
  /** The tag, or the digest. */
  readonly reference: string;
  readonly isDigest: boolean;
}

const standardRegistry = 'index.docker.io';
const repositoryForm = /^[a-z0-9_./-]{2,255}$/;
const tagForm = /^[A-Za-z0-9_.-]{1,128}$/;
const digestForm = /^sha256:[0-9a-f]{64}$/;
const registryForm = /^(?:[A-Za-z0-9_.-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;

/**
 * Reads the name of an image as container tools do: without a registry it is on Docker Hub, without a tag it is the latest.
 *
 * @example
 * parseImageReference('ghcr.io/me/bundle:1.0') // { registry: 'ghcr.io', repository: 'me/bundle', reference: '1.0', ... }
 */
export function parseImageReference(text: string): ImageReference {
  const found = parseTagged(text) ?? parseDigested(text);
  if (!found) throw new Error(`could not parse reference: ${text}`);
  return found;
}

function parseTagged(text: string): ImageReference | undefined {
  const colon = text.lastIndexOf(':');
  const hasTag = colon >= 0 && !text.slice(colon + 1).includes('/');
  const tag = hasTag ? text.slice(colon + 1) : 'latest';
  const place = parseRepository(hasTag ? text.slice(0, colon) : text);
  return place && tagForm.test(tag) ? { ...place, reference: tag, isDigest: false } : undefined;
}

function parseDigested(text: string): ImageReference | undefined {
  const [name = '', digest = '', ...more] = text.split('@');
  if (more.length > 0 || !digestForm.test(digest)) return undefined;
  const place = parseTagged(name);
  return place ? { ...place, reference: digest, isDigest: true } : undefined;
}

function parseRepository(text: string): Pick<ImageReference, 'registry' | 'repository'> | undefined {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(slash, 0));
  const hasRegistry = slash >= 0 && (/[.:]/.test(first) || first === 'localhost');
  const registry = hasRegistry && first !== 'docker.io' ? first : standardRegistry;
  const path = hasRegistry ? text.slice(slash + 1) : text;
  if (!repositoryForm.test(path) || !registryForm.test(registry)) return undefined;
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return undefined;
  const isOfficial = registry === standardRegistry && !path.includes('/');
  return { registry, repository: isOfficial ? `library/${path}` : path };
}

/** Registries of this machine and of private networks may speak plain HTTP. */
export function mayBePlain(registry: string): boolean {
  const host = registry.replace(/:\d+$/, '');
  if (isOfThisMachine(registry) || host.endsWith('.local')) return true;
  const [a = 0, b = 0, ...rest] = host.split('.').map(Number);
  const isAddress = rest.length === 2 && [a, b, ...rest].every((part) => Number.isInteger(part) && part <= 255);
  return isAddress && (a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168));
}

/** Whether a registry is reached by loopback. */
export function isOfThisMachine(registry: string): boolean {
  return /^(?:(?:.*\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(registry);
}
