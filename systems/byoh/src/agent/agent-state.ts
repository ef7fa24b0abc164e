import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The local progress of this host for one machine. The API holds the desired state; this holds the completed steps. */
export interface AgentState {
  /** The machine that all of it is about. */
  readonly machine?: string;
  readonly install?: 'started' | 'done';
  /** How to undo the installation; still with variables. */
  readonly uninstallScript?: string;
  readonly bootstrap?: 'started' | 'done';
  /** The completed steps of the cleanup. */
  readonly cleanup?: { readonly reset?: true; readonly uninstalled?: true };
}

/** The state in a file, which is whole at any time: also when the agent is killed while it writes. */
export class StateFile {
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  async read(): Promise<AgentState> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw error;
    }
    try {
      return JSON.parse(text) as AgentState;
    } catch (cause) {
      throw new Error(`${this.file} is damaged; check this host, then remove the file`, { cause });
    }
  }

  async write(state: AgentState): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    const next = `${this.file}.new`;
    {
      await using handle = await open(next, 'w', 0o600);
      await handle.writeFile(JSON.stringify(state));
      await handle.sync();
    }
    await rename(next, this.file);
  }

  async clear(): Promise<void> {
    await rm(this.file, { force: true });
  }
}
