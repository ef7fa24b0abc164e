import { bearer, type ClientConfig, httpTransport, staticCredentials, type Transport } from '@tektite/client';
import type { Login, LoginRequest } from './login.ts';
import type { Visitor } from './visitor.ts';

/** Opens a connection with a bearer token and nothing else. */
export type OpenWithToken = (token: string) => Transport;

/** Connections to the server of a configuration, without the credentials that the configuration has. */
export function openWithToken(config: ClientConfig): OpenWithToken {
  const { credentials: _, impersonate: __, ...server } = config;
  return (token) => httpTransport({ ...server, credentials: staticCredentials({ authorization: bearer(token) }) });
}

/** Bearer tokens of the API server. The server itself says whose a token is; sessions act with that token. */
export class TokenLogin implements Login {
  readonly form = 'token';
  private readonly open: OpenWithToken;
  private readonly opened = new Set<Transport>();

  constructor(open: OpenWithToken) {
    this.open = open;
  }

  async logIn({ given: { token = '' } }: LoginRequest): Promise<Visitor | undefined> {
    // The value of a header: visible ASCII.
    if (!/^[\x21-\x7e]{1,16384}$/.test(token)) return undefined;
    const transport = this.open(token);
    const name = await userName(transport).catch(() => undefined);
    if (name === undefined) {
      await transport.close();
      return undefined;
    }
    this.opened.add(transport);
    return { name, transport };
  }

  async close(): Promise<void> {
    await Promise.all([...this.opened].map((transport) => transport.close()));
  }
}

/** The name of the user of a connection; `undefined` for anonymous ones. */
export async function userName(transport: Transport): Promise<string | undefined> {
  const { status, body } = await transport.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  const { status: review } = body as { readonly status?: { readonly userInfo?: { readonly username?: string } } };
  const name = status < 300 ? review?.userInfo?.username : undefined;
  return name === 'system:anonymous' ? undefined : name;
}
