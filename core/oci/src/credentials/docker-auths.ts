import type { ImageReference } from '../image-reference.ts';
import type { Login } from '../login.ts';
import { objectsIn } from '../registry-client.ts';

/** Logins by the place that they are for, as `docker login` and pull Secrets write them. */
export type DockerAuths = Readonly<Record<string, unknown>>;

/** The `auths` of a configuration of Docker; empty where it is not one. */
export function parseDockerAuths(text: string): DockerAuths {
  return objectAt(parseObject(text), 'auths');
}

/** A file of the older form, which has the logins at its top. */
export function parseDockerCfg(text: string): DockerAuths {
  return parseObject(text);
}

export function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectsIn<Readonly<Record<string, unknown>>>([JSON.parse(text)])[0] ?? {};
  } catch {
    return {};
  }
}

export function objectAt(value: Readonly<Record<string, unknown>>, field: string): Readonly<Record<string, unknown>> {
  return objectsIn<Readonly<Record<string, unknown>>>([value[field]])[0] ?? {};
}

/** The logins that fit an image, the most specific first: one for its repository before one for its registry. */
export function loginsIn(auths: DockerAuths, image: Pick<ImageReference, 'registry' | 'repository'>): readonly Login[] {
  return Object.entries(auths)
    .map(([key, entry]) => ({ key: placeOf(key), entry }))
    .filter(({ key }) => fits(key, image))
    .toSorted((a, b) => b.key.length - a.key.length)
    .flatMap(({ entry }) => loginOf(entry) ?? []);
}

/** `https://index.docker.io/v1/` stands for `index.docker.io`. */
function placeOf(key: string): string {
  const host = key
    .replace(/^https?:\/\//, '')
    .replace(/\/+$/, '')
    .replace(/\/v[12]$/, '');
  return host === 'docker.io' || host.startsWith('docker.io/') ? `index.${host}` : host;
}

/** The parts of a host name may be patterns, `*.example.com`, as kubelets read them. A path is the beginning of a repository. */
function fits(place: string, { registry, repository }: Pick<ImageReference, 'registry' | 'repository'>): boolean {
  const slash = place.indexOf('/');
  const host = slash < 0 ? place : place.slice(0, slash);
  const path = slash < 0 ? '' : place.slice(slash + 1);
  if (path !== '' && !`${repository}/`.startsWith(`${path}/`)) return false;
  const [wanted, given] = [host.split('.'), registry.split('.')];
  return wanted.length === given.length && wanted.every((part, index) => part === '*' || part === given[index]);
}

function loginOf(entry: unknown): Login | undefined {
  const [{ auth, username, password } = {}] = objectsIn<{ auth?: unknown; username?: unknown; password?: unknown }>([
    entry,
  ]);
  if (typeof username === 'string' && typeof password === 'string') return { username, password };
  if (typeof auth !== 'string') return undefined;
  const text = Buffer.from(auth, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
