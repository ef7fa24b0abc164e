import type { Clock } from '@tektite/meta';
import { ClientError } from '../client-error.ts';
import type { ClientConfig, Impersonation } from './client-config.ts';
import type { Entry, Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';
import { type CreateConfigError, configErrorsOf, readData } from './kubeconfig-data.ts';
import { userCredentials } from './user-credentials.ts';

/** Resolves a context of a kubeconfig: server, user, namespace. */
export async function resolveContext(
  config: Kubeconfig,
  contextName: string | undefined,
  clock: Clock,
): Promise<ClientConfig> {
  const name = contextName ?? config.currentContext;
  const files = config.files.join(', ');
  const fail = (message: string) =>
    new ClientError('INVALID_KUBECONFIG', `the kubeconfig ${files} cannot be used: ${message}`);
  if (name === '')
    throw fail('it has no current-context; set one with `kubectl config use-context`, or name a context');
  const context = config.contexts.get(name);
  if (!context) throw fail(`context ${JSON.stringify(name)} does not exist; it has ${listNames(config.contexts)}`);
  const { cluster: clusterName = '', user: userName = '', namespace } = context.value;
  const cluster = config.clusters.get(clusterName);
  if (!cluster)
    throw fail(`context ${JSON.stringify(name)} names cluster ${JSON.stringify(clusterName)}, which does not exist`);
  const user = config.users.get(userName);
  if (!user && userName !== '')
    throw fail(`context ${JSON.stringify(name)} names user ${JSON.stringify(userName)}, which does not exist`);

  const connection = await clusterConnection(cluster, clusterName);
  // As kubectl does: credentials are not sent over unencrypted connections.
  const secure = connection.server.startsWith('https:');
  const credentials =
    user && secure ? await userCredentials(user, userName, { connection, cluster: cluster.value }, clock) : undefined;
  const impersonate = user && impersonation(user, userName);
  return {
    ...connection,
    ...(credentials ? { credentials } : {}),
    ...(impersonate ? { impersonate } : {}),
    namespace: namespace || 'default',
  };
}

async function clusterConnection(
  { value, file }: Entry<KubeconfigCluster>,
  name: string,
): Promise<Omit<ClientConfig, 'namespace' | 'credentials' | 'impersonate'>> {
  const fail = configErrorsOf(file, `cluster ${JSON.stringify(name)}`);
  const authority = await readData(value, 'certificate-authority', file, fail);
  const insecureSkipTlsVerify = value['insecure-skip-tls-verify'] === true;
  if (!value.server) throw fail('it has no server; set it to the URL of the API server');
  if (insecureSkipTlsVerify && authority !== undefined)
    throw fail('insecure-skip-tls-verify and a certificate authority exclude each other; remove one');
  const { 'tls-server-name': tlsServerName, 'proxy-url': proxyUrl } = value;
  if (proxyUrl) checkProxy(proxyUrl, fail);
  return {
    server: withScheme(value.server, authority !== undefined || insecureSkipTlsVerify),
    ...(authority === undefined ? {} : { certificateAuthority: authority }),
    ...(insecureSkipTlsVerify ? { insecureSkipTlsVerify } : {}),
    ...(tlsServerName ? { tlsServerName } : {}),
    ...(proxyUrl ? { proxyUrl } : {}),
  };
}

/** An address without a scheme is plain HTTP unless something about TLS is said. */
function withScheme(server: string, tls: boolean): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(server)) return server;
  return `${tls ? 'https' : 'http'}://${server}`;
}

function checkProxy(url: string, fail: CreateConfigError): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (!['http:', 'https:', 'socks5:'].includes(protocol))
    throw fail(`proxy-url ${JSON.stringify(url)} must be an http, https or socks5 URL`);
}

function impersonation({ value, file }: Entry<KubeconfigUser>, name: string): Impersonation | undefined {
  const { as: user, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = value;
  if (user) return { user, ...(uid ? { uid } : {}), ...(groups ? { groups } : {}), ...(extra ? { extra } : {}) };
  if (uid || groups?.length || Object.keys(extra ?? {}).length > 0)
    throw configErrorsOf(
      file,
      `user ${JSON.stringify(name)}`,
    )('as-uid, as-groups and as-user-extra need as; name the user to act as');
  return undefined;
}

function listNames(map: ReadonlyMap<string, unknown>): string {
  return map.size === 0 ? 'none' : [...map.keys()].map((name) => JSON.stringify(name)).join(', ');
}
