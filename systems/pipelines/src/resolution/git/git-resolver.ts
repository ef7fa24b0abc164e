import { goDurationToMilliseconds, parseGoDuration } from '@tektite/go';
import { backoffOf, retry } from '../backoff.ts';
import { readSecretValue } from '../read-secret.ts';
import type { ResolvedResource, Resolver, ResolverPlace, ResolverRequest } from '../resolver.ts';
import { cloneFile } from './clone-file.ts';
import { type GitParams, readGitParams, type ScmConfig, scmConfigOf } from './git-params.ts';
import { withoutPasswords } from './run-git.ts';
import { scmFile } from './scm-file.ts';

/** Files of git repositories: by cloning them, or by the API of the server that has them. */
export const gitResolver: Resolver = {
  type: 'git',
  name: 'Git',
  configName: 'git-resolver-config',
  defaultConfig: {
    'fetch-timeout': '1m',
    'default-url': 'https://github.com/tektoncd/catalog.git',
    'default-revision': 'main',
    'scm-type': 'github',
    'server-url': '',
    'api-token-secret-name': '',
    'api-token-secret-key': '',
    'api-token-secret-namespace': 'default',
    'default-org': '',
  },
  validate(request) {
    readGitParams(request);
  },
  /** Names of commits never mean something else. */
  isImmutable: ({ params }) => /^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(params.get('revision') ?? ''),
  timeoutMs({ params, config }) {
    try {
      const { 'fetch-timeout': timeout } = scmConfigOf(config, params.get('configKey'));
      return timeout ? goDurationToMilliseconds(parseGoDuration(timeout)) : 60_000;
    } catch {
      return 60_000;
    }
  },
  resolve(request, place) {
    const params = readGitParams(request);
    const conf = scmConfigOf(request.config, request.params.get('configKey'));
    return retry(backoffOf(request.config), place, () =>
      params.url === '' ? askApi(params, conf, request, place) : clone(params, request, place),
    );
  },
};

async function clone(params: GitParams, request: ResolverRequest, place: ResolverPlace): Promise<ResolvedResource> {
  const name = request.params.get('gitToken') ?? '';
  const key = request.params.get('gitTokenKey') || 'token';
  const token = name === '' ? '' : await readSecretValue({ namespace: request.namespace, name, key }, place);
  const authorization =
    token === '' ? {} : { authorization: `Basic ${Buffer.from(`git:${token}`).toString('base64')}` };
  const { random, signal } = place;
  const { data, commit } = await cloneFile({ ...params, ...authorization, random, signal });
  return resourceOf(data, { commit, path: params.path, url: withoutPasswords(params.url) });
}

async function askApi(
  params: GitParams,
  conf: ScmConfig,
  request: ResolverRequest,
  place: ResolverPlace,
): Promise<ResolvedResource> {
  const { org, repo } = params;
  const type = request.params.get('scmType') || (conf['scm-type'] ?? '');
  const server = request.params.get('serverURL') || (conf['server-url'] ?? '');
  const token = await apiToken(request, conf, place);
  const { signal } = place;
  const found = await scmFile({ ...params, type, server, token, signal });
  return resourceOf(found.data, { commit: found.commit, path: found.path, url: found.cloneUrl, org, repo });
}

/** The token of the request, or that of the settings, which is sent to the server of the settings alone. */
async function apiToken(
  { params, namespace }: ResolverRequest,
  conf: ScmConfig,
  place: ResolverPlace,
): Promise<string> {
  const name = params.get('token') ?? '';
  if (name !== '') return readSecretValue({ namespace, name, key: params.get('tokenKey') || 'token' }, place);
  const server = params.get('serverURL') ?? '';
  if (server !== '' && server !== (conf['server-url'] ?? ''))
    throw new Error(
      `custom serverURL "${server}" requires a token parameter; the system token cannot be sent to a non-default server URL`,
    );
  const missing = (key: string) =>
    new Error(`cannot get API token, required when specifying 'repo' param, '${key}' not specified in config`);
  const {
    'api-token-secret-name': secret = '',
    'api-token-secret-key': key = '',
    'api-token-secret-namespace': where = '',
  } = conf;
  if (secret === '') throw missing('api-token-secret-name');
  if (key === '') throw missing('api-token-secret-key');
  return readSecretValue({ namespace: where || 'tekton-pipelines-resolvers', name: secret, key }, place);
}

interface Source {
  readonly commit: string;
  readonly path: string;
  readonly url: string;
  readonly org?: string;
  readonly repo?: string;
}

function resourceOf(data: Uint8Array, { commit, path, url, org = '', repo = '' }: Source): ResolvedResource {
  const key = (name: string) => `resolution.tekton.dev/${name}`;
  return {
    data,
    annotations: {
      [key('revision')]: commit,
      [key('path')]: path,
      [key('url')]: url,
      [key('content-type')]: 'application/x-yaml',
      ...(org === '' ? {} : { [key('org')]: org }),
      ...(repo === '' ? {} : { [key('repo')]: repo }),
    },
    refSource: { uri: `git+${url}`, digest: { sha1: commit }, entryPoint: path },
  };
}
