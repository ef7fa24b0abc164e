import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sandboxProgram } from './sandbox-program.ts';

const native = fileURLToPath(new URL('../../../../native/sandbox/', import.meta.url));

/** Ways in which the program was compiled, by name. Test files run at the same time: each names a file for its program. */
export function sandboxLanes(file: string): readonly (readonly [string, string])[] {
  const plain = ['as shipped', sandboxProgram()] as const;
  return canSanitize() ? [plain, ['with sanitizers', compileSanitized(file)]] : [plain];
}

function canSanitize(): boolean {
  const args = ['-x', 'c', '-', '-fsanitize=address,undefined', '-o', '/dev/null'];
  return spawnSync(process.env.CC || 'cc', args, { input: 'int main(void) { return 0; }' }).status === 0;
}

function compileSanitized(file: string): string {
  const output = join(native, 'dist', 'test', file);
  const args = [join(native, 'scripts/build.mjs'), '--output', output, '--sanitize'];
  const result = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (result.status !== 0 || !existsSync(output)) throw new Error(`cannot compile: ${result.stdout}${result.stderr}`);
  return output;
}
