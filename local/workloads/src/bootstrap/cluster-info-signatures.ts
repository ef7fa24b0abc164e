import { createHmac } from 'node:crypto';
import type { BootstrapToken } from './bootstrap-token.ts';
import { isExpired } from './bootstrap-token.ts';

const prefix = 'jws-kubeconfig-';

/**
 * A JSON Web Signature without its payload. Who has the token computes the same text and so knows that the kubeconfig comes from
 * the cluster: the bytes of the header are those of upstream.
 */
export function detachedSignature(content: string, { id, secret }: Pick<BootstrapToken, 'id' | 'secret'>): string {
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const header = encode(JSON.stringify({ alg: 'HS256', kid: id }));
  const signature = createHmac('sha256', secret)
    .update(`${header}.${encode(content)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}

/** The data of `cluster-info` with one signature for each token that signs, and no others. */
export function signedClusterInfo(
  data: Readonly<Record<string, string>>,
  tokens: readonly BootstrapToken[],
  now: number,
): Record<string, string> {
  const result = Object.fromEntries(Object.entries(data).filter(([key]) => !key.startsWith(prefix)));
  const { kubeconfig } = data;
  if (!kubeconfig) return result;
  for (const token of tokens)
    if (token.signs && !isExpired(token, now)) result[`${prefix}${token.id}`] = detachedSignature(kubeconfig, token);
  return result;
}
