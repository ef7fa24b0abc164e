import type { Clock, Random } from '@tektite/meta';
import type { Login, LoginRequest } from './login.ts';
import { hashOf, secret } from './sessions.ts';
import type { Visitor } from './visitor.ts';

const validMs = 24 * 3_600_000;

/**
 * One-time codes, for the user who started the command: each opens one session, within a day. Every session acts as the same
 * visitor, with the credentials of the kubeconfig.
 */
export class CodeLogin implements Login {
  readonly form = 'code';
  private readonly visitor: () => Promise<Visitor>;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly codes = new Map<string, number>();

  constructor(visitor: () => Promise<Visitor>, clock: Clock, random: Random) {
    this.visitor = visitor;
    this.clock = clock;
    this.random = random;
  }

  /** A new code. */
  issue(): string {
    const code = secret(this.random);
    this.codes.set(hashOf(code).toString('hex'), this.clock.now() + validMs);
    return code;
  }

  restore(): Promise<Visitor> {
    return this.visitor();
  }

  async logIn({ given: { code = '' } }: LoginRequest): Promise<Visitor | undefined> {
    const key = hashOf(code).toString('hex');
    const expires = this.codes.get(key);
    if (expires === undefined) return undefined;
    this.codes.delete(key);
    return expires > this.clock.now() ? this.visitor() : undefined;
  }
}
