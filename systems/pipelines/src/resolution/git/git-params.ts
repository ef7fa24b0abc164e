import { quoteGo } from '@tektite/meta';
import type { ResolverConfig, ResolverRequest } from '../resolver.ts';

/** The part of the settings that a request is for. */
export interface ScmConfig {
  readonly 'fetch-timeout'?: string;
  readonly 'default-url'?: string;
  readonly 'default-revision'?: string;
  readonly 'default-org'?: string;
  readonly 'server-url'?: string;
  readonly 'scm-type'?: string;
  readonly 'api-token-secret-name'?: string;
  readonly 'api-token-secret-key'?: string;
  readonly 'api-token-secret-namespace'?: string;
}

/** The parameters, with defaults. */
export interface GitParams {
  /** To be cloned; otherwise the API of a server is asked for `org` and `repo`. */
  readonly url: string;
  readonly org: string;
  readonly repo: string;
  readonly revision: string;
  readonly path: string;
}

/** Keys `KEY.name` are for requests that name the key, all others for those that name none. */
export function scmConfigOf(config: ResolverConfig, key: string | undefined): ScmConfig {
  const chosen = new Map<string, string>();
  let isKnown = key === undefined;
  for (const [name, value] of Object.entries(config)) {
    const parts = name.split('.');
    if (parts.length > 2) throw new Error(`key ${name} passed in git resolver configmap is invalid`);
    const [section, field] = parts.length === 2 ? parts : ['default', name];
    if (section !== (key ?? 'default')) continue;
    isKnown = true;
    chosen.set(field as string, value);
  }
  if (!isKnown) throw new Error(`no git resolver configuration found for configKey ${key}`);
  return Object.fromEntries(chosen) as ScmConfig;
}

const cloneable = /^([^@]+@[^:]+|(git|ssh|ftps?|https?):\/\/)/;

/** Throws for a request that cannot be answered, in upstream's words and order. */
export function readGitParams({ params, config }: ResolverRequest): GitParams {
  const conf = scmConfigOf(config, params.get('configKey'));
  const revision = params.get('revision') ?? (conf['default-revision'] || undefined);
  const path = params.get('pathInRepo');
  const repo = params.get('repo') ?? '';
  const url = readUrl(params, conf);
  const org = params.get('org') ?? (repo === '' ? '' : (conf['default-org'] ?? ''));
  if (repo !== '' && !params.has('org') && org === '') throw new Error("'org' is required when 'repo' is specified");
  if (revision === undefined || path === undefined) {
    const missing = [...(revision === undefined ? ['revision'] : []), ...(path === undefined ? ['pathInRepo'] : [])];
    throw new Error(`missing required git resolver params: ${missing.join(', ')}`);
  }
  if (revision.startsWith('-')) throw new Error(`invalid revision ${quoteGo(revision)}: must not begin with '-'`);
  if (repo === '' && org === '' && !cloneable.test(url)) throw new Error(`invalid git repository url: ${url}`);
  const inside = path.replace(/^\/+/, '');
  if (inside.split('/').includes('..'))
    throw new Error(`invalid path ${quoteGo(inside)}: must not contain '..' components`);
  return { url, org, repo, revision, path: inside };
}

function readUrl(params: ReadonlyMap<string, string>, conf: ScmConfig): string {
  const [url, repo] = [params.get('url') ?? '', params.get('repo') ?? ''];
  if (url !== '' && repo !== '') throw new Error("cannot specify both 'url' and 'repo'");
  if (url !== '' || repo !== '') return url;
  const standard = conf['default-url'] ?? '';
  if (standard === '') throw new Error("must specify one of 'url' or 'repo'");
  return standard;
}
