import { type Client, kinds } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { Pod, ServiceAccountTokenProjection } from '@tektite/schema/kubernetes';

/** Where tokens for Pods come from. */
export interface TokenSource {
  /** One that is good for a while yet. */
  token(pod: Pod, projection: ServiceAccountTokenProjection): Promise<string>;
  /** The time of the next one, for this Pod; undefined when it has none. */
  renewalTime(uid: string): number | undefined;
  forget(uid: string): void;
}

interface HeldToken {
  readonly uid: string;
  readonly token: string;
  readonly renewAt: number;
}

interface TokenRequest extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly token: string; readonly expirationTimestamp: string };
}

const hour = 3_600_000;

/** Tokens that are bound to their Pod, asked for again at four fifths of their life, or after a day. */
export function clientTokens(client: Client): TokenSource {
  const held = new Map<string, HeldToken>();

  async function request(
    pod: Pod,
    { audience, expirationSeconds = 3600 }: ServiceAccountTokenProjection,
  ): Promise<HeldToken> {
    const { name, namespace, uid = '' } = pod.metadata;
    const account = { namespace, name: pod.spec?.serviceAccountName ?? 'default' } as {
      namespace: string;
      name: string;
    };
    const now = client.clock.now();
    const answer = await client.createSubresource<TokenRequest>(kinds.ServiceAccount, account, 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: {
        ...(audience ? { audiences: [audience] } : {}),
        expirationSeconds,
        boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
      },
    });
    if (!answer.status) throw new Error('the server gave no token');
    const life = Date.parse(answer.status.expirationTimestamp) - now;
    return { uid, token: answer.status.token, renewAt: now + Math.min(life * 0.8, 24 * hour) };
  }

  return {
    async token(pod, projection) {
      const key = JSON.stringify([pod.metadata.uid, projection.audience, projection.expirationSeconds]);
      const before = held.get(key);
      if (before && client.clock.now() < before.renewAt) return before.token;
      const fresh = await request(pod, projection);
      held.set(key, fresh);
      return fresh.token;
    },
    renewalTime(uid) {
      const times = [...held.values()].filter((token) => token.uid === uid).map(({ renewAt }) => renewAt);
      return times.length > 0 ? Math.min(...times) : undefined;
    },
    forget(uid) {
      for (const [key, token] of held) if (token.uid === uid) held.delete(key);
    },
  };
}
