import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FolderLock, isAlive, ownProcess, type ProcessIdentity } from '@tektite/apiserver';

/** A control plane of this machine, as its `tektite up` describes it in its folder. */
export interface UpRecord {
  readonly process: ProcessIdentity;
  readonly startedAt: string;
  readonly version: string;
  /** The folder of keys and kubeconfig; of state, too, unless that is in memory. */
  readonly folder: string;
  readonly inMemory: boolean;
  readonly server: string;
  readonly kubeconfig: string;
  readonly statusUrl?: string;
  /** The web page. */
  readonly dashboard?: string;
  /** `none` where only the API is served. */
  readonly runtime: string;
  readonly systems: readonly string[];
}

const fileIn = (folder: string) => join(folder, 'up.json');

/** Describes this process in its folder, until the result is called. */
export function writeUpRecord(record: Omit<UpRecord, 'process'>): () => void {
  const file = fileIn(record.folder);
  try {
    writeFileSync(file, `${JSON.stringify({ process: ownProcess(), ...record })}\n`, { mode: 0o600 });
  } catch (error) {
    // On a full disk a control plane must start all the same: it is how to make room.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  return () => rmSync(file, { force: true });
}

/** The control plane that runs on a data folder. A record that a killed process has left is none. */
export function readUpRecord(folder: string): UpRecord | undefined {
  const record = parse(fileIn(folder));
  return record && isAlive(record.process) ? record : undefined;
}

/** The control planes of this user that keep their state in memory. */
export function readInMemoryRecords(): readonly UpRecord[] {
  const folders = readdirSync(tmpdir(), { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name.startsWith('tektite-'),
  );
  return folders.flatMap(({ name }) => readUpRecord(join(tmpdir(), name)) ?? []);
}

/** The process that has a data folder, also while it starts or stops. */
export function processOn(dataDir: string): ProcessIdentity | undefined {
  return FolderLock.holderOf(join(resolve(dataDir), 'state')) ?? readUpRecord(resolve(dataDir))?.process;
}

function parse(file: string): UpRecord | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as UpRecord;
    return typeof record.process?.pid === 'number' ? record : undefined;
  } catch {
    return undefined;
  }
}
