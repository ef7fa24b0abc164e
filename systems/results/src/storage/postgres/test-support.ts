import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

/** For tests: a separate PostgreSQL, which is removed after them. */

const versions = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root. */
const unprivileged = 65_534;

/** The programs of Debian's package, the newest version. */
export function findPostgres(): string | undefined {
  if (!existsSync(versions)) return undefined;
  const folders = readdirSync(versions).map((version) => join(versions, version, 'bin'));
  return folders
    .filter((folder) => existsSync(join(folder, 'initdb')))
    .sort()
    .at(-1);
}

export async function startPostgres() {
  const programs = findPostgres() as string;
  const folder = mkdtempSync(join(tmpdir(), 'results-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: unprivileged, gid: unprivileged } : {};
  if (isRoot) chownSync(folder, unprivileged, unprivileged);
  const data = join(folder, 'data');
  const options = { ...as, cwd: folder, stdio: 'ignore' } as const;
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'results', '-A', 'trust', '-N'], options);
  // Only the socket in its folder: no port, so no collision.
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-k', folder, '-h', '', '-F'], options);
  const config = { host: folder, user: 'results', database: 'postgres' };
  await listening(config, server);
  return {
    config,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listening(config: pg.ClientConfig, server: ChildProcess): Promise<void> {
  for (let turn = 0; ; turn++) {
    const client = new pg.Client(config);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (turn > 300 || server.exitCode !== null) throw error;
      await wait(100);
    }
  }
}
