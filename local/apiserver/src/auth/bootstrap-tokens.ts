import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@tektite/meta';
import type { Secret } from '@tektite/schema/kubernetes';
import type { UserInfo } from '../request/api-request.ts';
import type { Storage } from '../storage/storage.ts';
import { type Authenticator, bearerToken } from './authenticator.ts';

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * Bootstrap tokens: Secrets `bootstrap-token-<id>` in `kube-system`, with which machines that are not known yet may ask for a
 * certificate. As kube-apiserver's `--enable-bootstrap-token-auth`.
 */
export class BootstrapTokens implements Authenticator {
  private readonly storage: Storage;
  private readonly clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.storage = storage;
    this.clock = clock;
  }

  authenticate(request: Parameters<Authenticator['authenticate']>[0]): UserInfo | undefined {
    const [, id, secret] = form.exec(bearerToken(request) ?? '') ?? [];
    return id === undefined || secret === undefined ? undefined : this.userOf(id, secret);
  }

  private userOf(id: string, secret: string): UserInfo | undefined {
    const object = this.storage.get(`/registry/secrets/kube-system/bootstrap-token-${id}`)?.value as Secret | undefined;
    if (object?.type !== 'bootstrap.kubernetes.io/token' || object.metadata.deletionTimestamp !== undefined)
      return undefined;
    const text = (key: string) => Buffer.from(object.data?.[key] ?? '', 'base64').toString('utf8');
    if (!isSame(text('token-secret'), secret) || text('token-id') !== id) return undefined;
    if (this.isOver(text('expiration')) || text('usage-bootstrap-authentication') !== 'true') return undefined;
    const groups = text('auth-extra-groups')
      .split(',')
      .filter((group) => group !== '');
    if (!groups.every((group) => groupForm.test(group))) return undefined;
    return { name: `system:bootstrap:${id}`, groups: ['system:bootstrappers', ...groups].sort() };
  }

  /** One that cannot be read counts as over. */
  private isOver(expiration: string): boolean {
    return expiration !== '' && !(this.clock.now() < Date.parse(expiration));
  }
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
