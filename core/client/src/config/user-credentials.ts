import type { Clock } from '@tektite/meta';
import { ClientError } from '../client-error.ts';
import type { ClientConfig } from './client-config.ts';
import { bearer, type CredentialMaterial, type Credentials, staticCredentials } from './credentials.ts';
import { ExecCredentials, type ExecPlugin } from './exec-credentials.ts';
import { FileCredentials } from './file-credentials.ts';
import type { Entry, KubeconfigCluster, KubeconfigExec, KubeconfigUser } from './kubeconfig.ts';
import { besideFile, type CreateConfigError, configErrorsOf, readData } from './kubeconfig-data.ts';

interface ClusterInfo {
  readonly connection: Omit<ClientConfig, 'namespace'>;
  readonly cluster: KubeconfigCluster;
}

/**
 * How a kubeconfig user proves who he is. A client certificate goes with anything; of the other ways there may be one, as
 * in kubectl. A token file wins over a token.
 */
export async function userCredentials(
  { value, file }: Entry<KubeconfigUser>,
  name: string,
  cluster: ClusterInfo,
  clock: Clock,
): Promise<Credentials | undefined> {
  const fail = configErrorsOf(file, `user ${JSON.stringify(name)}`);
  const provider = value['auth-provider'];
  if (provider)
    throw new ClientError(
      'UNSUPPORTED_CREDENTIALS',
      `user ${JSON.stringify(name)} in ${file}: auth-provider ${JSON.stringify(provider.name ?? '')} was removed from Kubernetes in 1.26; use the exec plugin of your provider instead (for example gke-gcloud-auth-plugin, kubelogin)`,
    );
  const ways = [
    ...(value.token || value.tokenFile ? ['token'] : []),
    ...(value.username || value.password ? ['username and password'] : []),
    ...(value.exec ? ['exec'] : []),
  ];
  if (ways.length > 1) throw fail(`it has more than one way to log in (${ways.join(', ')}); keep one`);
  if (value.exec) {
    return new ExecCredentials(execPlugin(value.exec, file, cluster, fail), clock);
  }
  const material = await staticMaterial(value, file, fail);
  const files = {
    ...(value.tokenFile ? { tokenFile: besideFile(value.tokenFile, file) } : {}),
    ...(value['client-certificate'] && !value['client-certificate-data']
      ? { certificateFile: besideFile(value['client-certificate'], file) }
      : {}),
    ...(value['client-key'] && !value['client-key-data'] ? { keyFile: besideFile(value['client-key'], file) } : {}),
  };
  if (Object.keys(files).length > 0) return new FileCredentials({ ...files, rest: material }, clock);
  return Object.keys(material).length > 0 ? staticCredentials(material) : undefined;
}

async function staticMaterial(
  value: KubeconfigUser,
  file: string,
  fail: CreateConfigError,
): Promise<CredentialMaterial> {
  const certificate = await readData(value, 'client-certificate', file, fail);
  const key = await readData(value, 'client-key', file, fail);
  if (certificate !== undefined && key === undefined)
    throw fail('it has a client-certificate but no client-key; add the key');
  if (key !== undefined && certificate === undefined)
    throw fail('it has a client-key but no client-certificate; add the certificate');
  const authorization = value.token
    ? bearer(value.token)
    : value.username
      ? `Basic ${Buffer.from(`${value.username}:${value.password ?? ''}`).toString('base64')}`
      : undefined;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(certificate === undefined || key === undefined ? {} : { clientCertificate: { certificate, key } }),
  };
}

const execVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const interactiveModes = ['Never', 'IfAvailable', 'Always'] as const;

function execPlugin(exec: KubeconfigExec, file: string, info: ClusterInfo, fail: CreateConfigError): ExecPlugin {
  const { apiVersion = '', command = '' } = exec;
  if (command === '') throw fail('exec has no command');
  if (!execVersions.includes(apiVersion)) {
    throw fail(
      apiVersion === ''
        ? 'exec has no apiVersion; set client.authentication.k8s.io/v1'
        : `exec apiVersion ${apiVersion} is not supported; update the plugin and use client.authentication.k8s.io/v1`,
    );
  }
  const mode = exec.interactiveMode ?? (apiVersion.endsWith('/v1beta1') ? 'IfAvailable' : '');
  const interactiveMode = interactiveModes.find((known) => known === mode);
  if (!interactiveMode)
    throw fail(
      mode === ''
        ? 'exec must set interactiveMode'
        : `exec interactiveMode ${mode} must be Never, IfAvailable or Always`,
    );
  return {
    apiVersion,
    // Only a bare name is looked up in $PATH.
    command: command.includes('/') ? besideFile(command, file) : command,
    args: exec.args ?? [],
    env: exec.env ?? [],
    ...(exec.installHint === undefined ? {} : { installHint: exec.installHint }),
    interactiveMode,
    ...(exec.provideClusterInfo === true ? { cluster: execCluster(info) } : {}),
  };
}

/** The cluster for a plugin: an object of the ExecCredential API, not the kubeconfig's. */
function execCluster({ connection, cluster }: ClusterInfo): Record<string, unknown> {
  const { certificateAuthority: authority } = connection;
  const config = cluster.extensions?.find(({ name }) => name === 'client.authentication.k8s.io/exec')?.extension;
  return {
    server: connection.server,
    ...(connection.tlsServerName === undefined ? {} : { 'tls-server-name': connection.tlsServerName }),
    ...(connection.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
    ...(connection.proxyUrl === undefined ? {} : { 'proxy-url': connection.proxyUrl }),
    config: config ?? null,
  };
}
