import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock, Random } from '@tektite/meta';
import type { SessionFile } from './session-file.ts';
import type { Visitor } from './visitor.ts';

/** A session that was just opened: the cookie's value, and the token that scripts of the page send along. */
export interface OpenedSession {
  readonly id: string;
  readonly csrfToken: string;
}

interface Session {
  readonly visitor: Visitor;
  readonly csrfHash: Buffer;
  readonly openedAt: number;
  usedAt: number;
}

const idleMs = 12 * 3_600_000;
const maxAgeMs = 7 * 24 * 3_600_000;
const maxSessions = 1000;

/**
 * The sessions of this server. They end when they are not used for twelve hours, and after a week; without a file, with the process.
 *
 * Guarantees
 * - A session needs both secrets. The cookie alone reaches other servers of the same host, whatever their port; the token alone is
 *   readable by scripts. Each without the other is worth nothing.
 * - Only hashes are kept and compared, in constant time.
 * - There are at most 1,000; the one that was not used for longest makes room.
 */
export class Sessions {
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly byHash = new Map<string, Session>();
  private readonly file: SessionFile | undefined;

  constructor(clock: Clock, random: Random, file?: SessionFile) {
    this.clock = clock;
    this.random = random;
    this.file = file;
  }

  /** Continues the sessions of the file, which are all of one visitor. */
  restore(visitor: Visitor): void {
    for (const { idHash, csrfHash, openedAt, usedAt } of this.file?.read() ?? [])
      this.byHash.set(idHash, { visitor, csrfHash: Buffer.from(csrfHash, 'hex'), openedAt, usedAt });
    this.removeExpired();
  }

  /** Keeps the sessions for the next process. */
  save(): void {
    const saved = [...this.byHash].map(([idHash, { csrfHash, openedAt, usedAt }]) => ({
      idHash,
      csrfHash: csrfHash.toString('hex'),
      openedAt,
      usedAt,
    }));
    this.file?.write(saved);
  }

  get size(): number {
    return this.byHash.size;
  }

  open(visitor: Visitor): OpenedSession {
    this.removeExpired();
    if (this.byHash.size >= maxSessions) this.removeOldest();
    const id = secret(this.random);
    const csrfToken = secret(this.random);
    const now = this.clock.now();
    this.byHash.set(hashOf(id).toString('hex'), { visitor, csrfHash: hashOf(csrfToken), openedAt: now, usedAt: now });
    this.save();
    return { id, csrfToken };
  }

  /** The visitor of a session, if both secrets are right. */
  find(id: string | undefined, csrfToken: string | undefined): Visitor | undefined {
    if (!id || !csrfToken) return undefined;
    const key = hashOf(id).toString('hex');
    const session = this.byHash.get(key);
    if (!session || !timingSafeEqual(session.csrfHash, hashOf(csrfToken))) return undefined;
    if (this.isExpired(session)) {
      this.byHash.delete(key);
      return undefined;
    }
    session.usedAt = this.clock.now();
    return session.visitor;
  }

  close(id: string): void {
    this.byHash.delete(hashOf(id).toString('hex'));
    this.save();
  }

  private isExpired({ openedAt, usedAt }: Session): boolean {
    const now = this.clock.now();
    return now - usedAt > idleMs || now - openedAt > maxAgeMs;
  }

  private removeExpired(): void {
    for (const [key, session] of this.byHash) if (this.isExpired(session)) this.byHash.delete(key);
  }

  private removeOldest(): void {
    let [oldest] = this.byHash;
    for (const entry of this.byHash) if (oldest && entry[1].usedAt < oldest[1].usedAt) oldest = entry;
    if (oldest) this.byHash.delete(oldest[0]);
  }
}

/** 192 random bits, in the letters of URLs. */
export function secret(random: Random): string {
  return Buffer.from(random.bytes(24)).toString('base64url');
}

export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
