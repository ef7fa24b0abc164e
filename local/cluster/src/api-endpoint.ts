import { type ApiServer, type RunningHttpServer, serveHttps, type UserInfo } from '@tektite/apiserver';
import { issueCertificate } from '@tektite/certificates';
import { type ClientConfig, staticCredentials } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import type { ClusterCertificates, ClusterOptions, HttpsAddress, ServedApi } from './cluster-options.ts';
import { createServerKeys } from './server-keys.ts';
import type { Started } from './start-together.ts';

/** The API of a cluster over HTTPS. Certificates are checked by the machine's clock, so that is the one they are made by. */
export class ApiEndpoint implements ServedApi {
  readonly server: ApiServer;
  readonly http: RunningHttpServer;
  readonly certificates: ClusterCertificates;
  /** The host for clients of this machine. */
  readonly host: string;
  /** The address for other machines. */
  readonly advertised: string;

  static async open(server: ApiServer, options: ClusterOptions, started: Started): Promise<ApiEndpoint> {
    const { host, port, advertise = reachable(host), maxInflightBytes }: HttpsAddress = options.https ?? anyPort;
    const certificates = options.certificates ?? (await createCertificates([host, advertise]));
    const http = await serveHttps({
      host,
      port,
      ...certificates.server,
      clientCa: certificates.bundle,
      ...(maxInflightBytes === undefined ? {} : { maxInflightBytes }),
      admit: (request) => server.admit(request),
      handle: (request) => server.handle(request),
    });
    started.push(() => http.close());
    return new ApiEndpoint(server, http, certificates, reachable(host), advertise);
  }

  private constructor(
    server: ApiServer,
    http: RunningHttpServer,
    certificates: ClusterCertificates,
    host: string,
    advertised: string,
  ) {
    this.server = server;
    this.http = http;
    this.certificates = certificates;
    this.host = host;
    this.advertised = advertised.replace(/[[\]]/g, '');
  }

  get port(): number {
    return this.http.port;
  }

  get url(): string {
    return `https://${this.host}:${this.port}`;
  }

  /** A client configuration with a new certificate for this user. */
  async configFor({ name, groups }: Pick<UserInfo, 'name' | 'groups'>): Promise<ClientConfig> {
    const { authority, bundle } = this.certificates;
    const clientCertificate = await issueCertificate(
      authority,
      { commonName: name, organizations: groups },
      systemClock,
    );
    return {
      server: this.url,
      certificateAuthority: bundle,
      namespace: 'default',
      credentials: staticCredentials({ clientCertificate }),
    };
  }
}

const anyPort: HttpsAddress = { host: '127.0.0.1', port: 0 };

async function createCertificates(names: readonly string[]): Promise<ClusterCertificates> {
  const { authority, server } = await createServerKeys(names);
  return { authority, server, bundle: authority.certificate };
}

/** A server that listens on all addresses is reached on loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
