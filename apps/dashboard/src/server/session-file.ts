import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A session as it is kept: hashes of its secrets, and when it was used. */
export interface SavedSession {
  readonly idHash: string;
  readonly csrfHash: string;
  readonly openedAt: number;
  readonly usedAt: number;
}

/**
 * Sessions across restarts, so that an open page goes on. The file has no secrets: only their hashes. One that cannot be read or written
 * means that users log in again.
 */
export class SessionFile {
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  read(): readonly SavedSession[] {
    try {
      const value: unknown = JSON.parse(readFileSync(this.path, 'utf8'));
      return Array.isArray(value) ? value.filter(isSaved) : [];
    } catch {
      return [];
    }
  }

  write(sessions: readonly SavedSession[]): void {
    const temporary = `${this.path}.${process.pid}`;
    try {
      rmSync(temporary, { force: true });
      writeFileSync(temporary, JSON.stringify(sessions), { mode: 0o600, flag: 'wx' });
      renameSync(temporary, this.path);
    } catch {
      rmSync(temporary, { force: true });
    }
  }
}

function isSaved(value: unknown): value is SavedSession {
  const { idHash, csrfHash, openedAt, usedAt } = (value ?? {}) as Partial<SavedSession>;
  const isHash = (text: unknown) => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
  return isHash(idHash) && isHash(csrfHash) && typeof openedAt === 'number' && typeof usedAt === 'number';
}
