import { createHash } from 'node:crypto';
import { encodeComponent } from '../encode-component.ts';
import { fetchUrl, readBody } from '@tektite/client';
import type { ResolvedResource, Resolver, ResolverPlace } from '../resolver.ts';
import { type HubParams, readHubParams } from './hub-params.ts';
import { compareVersions, formatVersion, parseConstraint, parseVersion, type Version } from './version.ts';

const maxBytes = 8 * 1024 * 1024;

/** Objects that are published on Artifact Hub, or on a Tekton Hub. */
export const hubResolver: Resolver = {
  type: 'hub',
  name: 'Hub',
  configName: 'hubresolver-config',
  defaultConfig: {
    'default-tekton-hub-catalog': 'Tekton',
    'default-artifact-hub-task-catalog': 'tekton-catalog-tasks',
    'default-artifact-hub-pipeline-catalog': 'tekton-catalog-pipelines',
    'default-kind': 'task',
    'default-type': 'artifact',
  },
  validate(request) {
    readHubParams(request);
  },
  async resolve(request, place) {
    const params = readHubParams(request);
    const { version, urls } = await chooseVersion(params, place);
    return firstOf(
      urls,
      'failed to fetch resource from any configured hub URL',
      (url) => fetchResource({ ...params, version: usualVersion(version, params.type) }, url, place),
      place.signal,
    );
  },
};

/** Below the address of a hub. */
function pathOf({ type, kind, catalog, name }: HubParams): string {
  const parts = type === 'artifact' ? [`tekton-${kind}`, catalog, name] : [catalog, kind, name];
  const root = type === 'artifact' ? 'api/v1/packages' : 'v1/resource';
  return `${root}/${parts.map(encodeComponent).join('/')}`;
}

/** The newest version that is wanted, and the hub that has it. What is no constraint is a version. */
async function chooseVersion(
  params: HubParams,
  place: ResolverPlace,
): Promise<{ readonly version: string; readonly urls: readonly string[] }> {
  const constraint = parseConstraint(params.version);
  if (!constraint) return params;
  return firstOf(
    params.urls,
    'failed to resolve version constraint from any configured hub URL',
    async (url) => {
      const wanted = (await versionsOf(params, url, place)).filter(constraint);
      const best = wanted.toSorted(compareVersions).at(-1);
      if (!best) throw new NoVersion(`no version found for constraint ${params.version}`);
      return { version: formatVersion(best), urls: [url] };
    },
    place.signal,
  );
}

/** The hub was reached: there is no need to ask another. */
class NoVersion extends Error {
  override readonly name = 'NoVersion';
}

async function versionsOf(params: HubParams, url: string, place: ResolverPlace): Promise<readonly Version[]> {
  const answer = await askHub<HubList>(params.type, `${url}/${pathOf(params)}`, place);
  const listed =
    params.type === 'artifact'
      ? (answer.available_versions ?? []).filter(({ prerelease }) => prerelease !== true)
      : (answer.data?.versions ?? []);
  return listed.map(({ version = '' }) => {
    const parsed = parseVersion(version);
    if (!parsed) throw new Error(`fail to parse version ${params.type} from ${version}: Malformed version: ${version}`);
    return parsed;
  });
}

interface HubVersion {
  readonly version?: string;
  readonly prerelease?: boolean;
}

interface HubList {
  readonly available_versions?: readonly HubVersion[];
  readonly data?: { readonly versions?: readonly HubVersion[] };
}

/** The hubs count in different ways: three numbers here, two there. */
function usualVersion(version: string, type: HubParams['type']): string {
  const parts = version.split('.');
  if (type === 'artifact') return parts.length === 2 ? `${version}.0` : version;
  return parts.slice(0, 2).join('.');
}

async function fetchResource(params: HubParams, hub: string, place: ResolverPlace): Promise<ResolvedResource> {
  const version = encodeComponent(params.version);
  const uri = `${hub}/${pathOf(params)}/${version}${params.type === 'tekton' ? '/yaml' : ''}`;
  const { data = {} } = await askHub<{ data?: { manifestRaw?: unknown; yaml?: unknown } }>(params.type, uri, place);
  const text = params.type === 'artifact' ? data.manifestRaw : data.yaml;
  const content = Buffer.from(typeof text === 'string' ? text : '');
  return { data: content, refSource: { uri, digest: { sha256: createHash('sha256').update(content).digest('hex') } } };
}

async function askHub<T>(type: HubParams['type'], url: string, { signal }: ResolverPlace): Promise<T> {
  const errorFor = (message: string, cause?: unknown) =>
    new Error(`fail to fetch ${type === 'artifact' ? 'Artifact' : 'Tekton'} Hub resource: ${message}`, { cause });
  let response: Response;
  try {
    response = await fetchUrl(url, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw errorFor(`requesting resource from Hub: ${(error as Error).message}`, error);
  }
  const body = await readBody(response, maxBytes);
  if (response.status !== 200) throw errorFor(`requested resource '${url}' not found on hub`);
  try {
    return (JSON.parse(body.toString('utf8')) ?? {}) as T;
  } catch (error) {
    throw errorFor(`error unmarshalling json response: ${(error as Error).message}`, error);
  }
}

/** The answer of the first hub that has one. */
async function firstOf<T>(
  urls: readonly string[],
  summary: string,
  ask: (url: string) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const errors: Error[] = [];
  for (const url of urls) {
    try {
      return await ask(url);
    } catch (error) {
      if (error instanceof NoVersion || signal.aborted) throw error;
      errors.push(error as Error);
    }
  }
  if (errors.length === 1) throw errors[0];
  throw new Error(`${summary}: ${errors.map(({ message }) => message).join('\n')}`);
}
