import { parseFirstYaml } from '@tektite/schema/yaml';
import { checkRequestUri } from '../http/request-uri.ts';
import type { ResolverConfig, ResolverRequest } from '../resolver.ts';
import { trimSlashes } from '../trim-slashes.ts';

export interface HubParams {
  readonly type: 'artifact' | 'tekton';
  readonly kind: string;
  readonly name: string;
  readonly version: string;
  readonly catalog: string;
  /** The servers to ask, in this order. */
  readonly urls: readonly string[];
}

const kinds = ['task', 'pipeline', 'stepaction'];
const publicHub = 'https://artifacthub.io';

/** Throws for a request that cannot be answered, in upstream's words and order. */
export function readHubParams(request: ResolverRequest): HubParams {
  const { params, config } = request;
  const [type, kind, catalog] = said('populate default params', () => defaults(params, config));
  return said('validate params', () => {
    if (!kinds.includes(kind)) throw new Error(`kind param must be one of: ${kinds.join(', ')}`);
    const url = params.get('url') ?? '';
    if (url !== '') said('', () => checkHubUrl(url), 'invalid url param: ');
    if (type !== 'artifact' && type !== 'tekton') throw new Error('type param must be artifact or tekton');
    const urls = url === '' ? configuredUrls(type, config) : [trimSlashes(url)];
    if (urls.length === 0) throw new Error('please configure TEKTON_HUB_API env variable to use tekton type');
    const missing = ['name', 'version'].filter((name) => !params.has(name));
    if (missing.length > 0) throw new Error(`missing required hub resolver params: ${missing.join(', ')}`);
    return { type, kind, catalog, urls, name: params.get('name') ?? '', version: params.get('version') ?? '' };
  });
}

function said<T>(doing: string, act: () => T, prefix: string = `failed to ${doing}: `): T {
  try {
    return act();
  } catch (cause) {
    throw new Error(prefix + (cause as Error).message, { cause });
  }
}

type Params = ReadonlyMap<string, string>;

function defaults(params: Params, config: ResolverConfig): readonly [type: string, kind: string, catalog: string] {
  const standard = (key: string, what: string) => {
    const value = config[key];
    if (value === undefined) throw new Error(`default ${what} was not set during installation of the hub resolver`);
    return value;
  };
  const type = params.get('type') ?? standard('default-type', 'type');
  const kind = params.get('kind') ?? standard('default-kind', 'resource kind');
  const tekton = standard('default-tekton-hub-catalog', 'Tekton Hub catalog');
  const tasks = standard('default-artifact-hub-task-catalog', 'Artifact Hub task catalog');
  const pipelines = standard('default-artifact-hub-pipeline-catalog', 'Artifact Hub pipeline catalog');
  const given = params.get('catalog');
  if (given !== undefined) return [type, kind, given];
  if (type === 'tekton') return [type, kind, tekton];
  if (type !== 'artifact') throw new Error(`failed to resolve catalog name with type: ${type}`);
  if (kind !== 'task' && kind !== 'pipeline') throw new Error(`failed to resolve catalog name with kind: ${kind}`);
  return [type, kind, kind === 'task' ? tasks : pipelines];
}

/** A list in the settings comes first, then the environment, as upstream's deployment has it. */
function configuredUrls(type: 'artifact' | 'tekton', config: ResolverConfig): readonly string[] {
  const listed = urlsIn(config[`${type}-hub-urls`] ?? '');
  if (listed.length > 0) return listed;
  const { ARTIFACT_HUB_API, TEKTON_HUB_API } = process.env;
  const url = type === 'artifact' ? ARTIFACT_HUB_API || publicHub : TEKTON_HUB_API;
  return url ? [trimSlashes(url)] : [];
}

/** A list in YAML. One that makes no sense is none. */
function urlsIn(text: string): readonly string[] {
  try {
    const value = parseFirstYaml(text)?.value;
    const urls = Array.isArray(value) ? value.map((url) => trimSlashes(String(url).trim())) : [];
    urls.forEach(checkHubUrl);
    return urls;
  } catch {
    return [];
  }
}

function checkHubUrl(url: string): void {
  let scheme = '';
  try {
    scheme = checkRequestUri(url);
  } catch {
    // Reported below.
  }
  if (scheme === '' || !/^[^/]+:\/\/[^/]/.test(url)) throw new Error(`url must be a valid absolute URL: ${url}`);
  if (scheme !== 'http' && scheme !== 'https') throw new Error(`url must use http or https scheme: ${url}`);
}
