import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed with all that a test wrote, also by other owners. */
export class TestFolder implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), 'tektite-test-'));

  join(...parts: readonly string[]): string {
    return join(this.path, ...parts);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
