import type { KeyPair } from '@tektite/certificates';
import { readCertificate } from '@tektite/certificates';

/** The certificate authorities of a data folder. All of them are trusted; one signs. */
export interface Authorities {
  readonly current: KeyPair;
  /** Trusted already, so that clients learn of it before it signs. */
  readonly next?: KeyPair;
  /** Signed before, and is trusted until it expires. */
  readonly old?: Pick<KeyPair, 'certificate'>;
}

export type AuthorityStep = 'create-next' | 'promote-next' | 'drop-old';

const day = 24 * 60 * 60 * 1000;
/** The next authority is published this long before the current one expires. */
const publishBefore = 2 * 365 * day;
/** It signs after clients had this long to learn of it. */
const overlap = 180 * day;

/** The next step of a rotation with overlap; `undefined` when nothing is due. */
export function decideAuthorities({ current, next, old }: Authorities, now: number): AuthorityStep | undefined {
  if (old && endOf(old) <= now) return 'drop-old';
  const left = endOf(current) - now;
  if (!next) return left <= publishBefore ? 'create-next' : undefined;
  const published = now - (readCertificate(next.certificate)?.notBefore ?? 0);
  return published >= overlap || left <= overlap ? 'promote-next' : undefined;
}

/** All trusted certificates, the current one first. */
export function bundleOf({ current, next, old }: Authorities): string {
  return [current, next, old].map((each) => each?.certificate ?? '').join('');
}

function endOf({ certificate }: Pick<KeyPair, 'certificate'>): number {
  return readCertificate(certificate)?.notAfter ?? 0;
}
