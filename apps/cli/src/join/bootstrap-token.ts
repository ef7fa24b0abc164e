import { formatTime, type Random } from '@tektite/meta';
import { joinGroup } from './join-objects.ts';

/** `id.secret`, in the form of kubeadm. */
export const tokenForm = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Draws a token. `random` has to be cryptographic. */
export function createToken(random: Random): string {
  const draw = (length: number) =>
    Array.from({ length }, () => letters[Math.floor(random.next() * letters.length)]).join('');
  return `${draw(6)}.${draw(16)}`;
}

export interface TokenRequest {
  readonly token: string;
  readonly description?: string;
  /** In milliseconds. Undefined: it never expires. */
  readonly expires?: number;
}

/** The Secret of a bootstrap token with which nodes join, and that signs `cluster-info`. */
export function tokenSecret({ token, description, expires }: TokenRequest) {
  const [id = '', secret = ''] = token.split('.');
  const stringData = {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-authentication': 'true',
    'usage-bootstrap-signing': 'true',
    'auth-extra-groups': joinGroup,
    ...(description === undefined ? {} : { description }),
    ...(expires === undefined ? {} : { expiration: formatTime(expires) }),
  };
  const metadata = { namespace: 'kube-system', name: `bootstrap-token-${id}` };
  return { metadata, type: 'bootstrap.kubernetes.io/token', stringData };
}
