import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PodNetwork } from './pod-network.ts';

const native = fileURLToPath(new URL('../../../../native/network/', import.meta.url));

/** Ways in which the network program was compiled, by name. */
export function networkLanes(): readonly (readonly [string, string])[] {
  const plain = ['as shipped', join(native, 'dist', 'network')] as const;
  const args = ['-x', 'c', '-', '-fsanitize=address,undefined', '-o', '/dev/null'];
  const probe = spawnSync(process.env.CC || 'cc', args, { input: 'int main(void) { return 0; }' });
  if (probe.status !== 0) return [plain];
  const output = join(native, 'dist', 'test', 'network');
  const build = [join(native, 'scripts/build.mjs'), '--output', output, '--sanitize'];
  const result = spawnSync(process.execPath, build, { encoding: 'utf8' });
  if (result.status !== 0 || !existsSync(output)) throw new Error(`cannot compile: ${result.stdout}${result.stderr}`);
  return [plain, ['with sanitizers', output]];
}

/** Whether Pods can have a network on this machine, and reach others from it. */
export async function canHaveNetwork(): Promise<boolean> {
  try {
    await using network = await PodNetwork.open({ directory: '/nowhere/network-probe' });
    await network.openWayOut();
    return true;
  } catch {
    return false;
  }
}
