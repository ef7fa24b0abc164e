import type { Secret } from '@tektite/schema/kubernetes';

/** The namespace, type and fields of Secrets that are bootstrap tokens. */
export const tokenNamespace = 'kube-system';
export const tokenType = 'bootstrap.kubernetes.io/token';

const idForm = /^[a-z0-9]{6}$/;
const secretForm = /^[a-z0-9]{16}$/;

/** A bootstrap token that a Secret holds. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
  /** In milliseconds. Absent: it never expires. One that cannot be read has expired. */
  readonly expiration?: number;
  readonly signs: boolean;
}

/** Reads a token. Undefined where the Secret is none: another type, or an id that is not that of its name. */
export function readBootstrapToken({ metadata, type, data }: Secret): BootstrapToken | undefined {
  const text = (key: string) => Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');
  const [id, secret, expiration] = [text('token-id'), text('token-secret'), text('expiration')];
  if (type !== tokenType || metadata.name !== `bootstrap-token-${id}`) return undefined;
  if (!idForm.test(id) || !secretForm.test(secret)) return undefined;
  const expires = Date.parse(expiration);
  return {
    id,
    secret,
    ...(expiration === '' ? {} : { expiration: Number.isNaN(expires) ? 0 : expires }),
    signs: text('usage-bootstrap-signing') === 'true',
  };
}

export function isExpired({ expiration }: BootstrapToken, now: number): boolean {
  return expiration !== undefined && expiration <= now;
}
