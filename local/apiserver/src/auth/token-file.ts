import { createHash, timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '../request/api-request.ts';
import { type Authenticator, bearerToken } from './authenticator.ts';

/** Static tokens, as kube-apiserver's `--token-auth-file` has them. */
export class TokenFile implements Authenticator {
  private readonly users: readonly { readonly digest: Buffer; readonly user: UserInfo }[];

  /** Tokens found good before; there are no more of them than lines in the file. */
  private readonly recent = new Map<string, UserInfo>();

  private constructor(users: TokenFile['users']) {
    this.users = users;
  }

  /**
   * Reads lines of `token,user,uid[,"group1,group2"]`. Throws, naming the line, when one is not of that form.
   */
  static parse(text: string, file = 'token file'): TokenFile {
    const users = text.split('\n').flatMap((line, index) => {
      if (line.trim() === '') return [];
      const [token, name, uid, groups] = splitCsv(line.trim()) ?? [];
      if (!token || !name || uid === undefined)
        throw new Error(`${file}, line ${index + 1}: expected token,user,uid and optionally "group1,group2"`);
      const user: UserInfo = {
        name,
        ...(uid === '' ? {} : { uid }),
        groups:
          groups
            ?.split(',')
            .map((group) => group.trim())
            .filter((group) => group !== '') ?? [],
      };
      return [{ digest: digest(token), user }];
    });
    return new TokenFile(users);
  }

  authenticate(request: Parameters<Authenticator['authenticate']>[0]): UserInfo | undefined {
    const token = bearerToken(request);
    return token === undefined ? undefined : this.userOf(token);
  }

  /** Compares digests in constant time, against timing attacks. */
  userOf(token: string): UserInfo | undefined {
    const known = this.recent.get(token);
    if (known) return known;
    const wanted = digest(token);
    let found: UserInfo | undefined;
    for (const { digest: known, user } of this.users) if (timingSafeEqual(known, wanted)) found = user;
    if (found) this.recent.set(token, found);
    return found;
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The fields of a line, quotes taken off; `undefined` when a quote is where none can be. */
function splitCsv(line: string): string[] | undefined {
  const fields: string[] = [];
  const field = /\s*(?:"((?:[^"]|"")*)"\s*|([^",]*))(,|$)/y;
  for (;;) {
    const match = field.exec(line);
    if (!match) return undefined;
    fields.push((match[1]?.replaceAll('""', '"') ?? match[2] ?? '').trim());
    if (match[3] === '') return fields;
  }
}
