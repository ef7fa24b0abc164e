import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../table.ts';

/** The OCI runtimes of other engines that are installed: one container from a folder that is there, started and ended, and nothing else. */
export function benchOciRuntimes(rounds: number): Row[] {
  return ['crun', 'runc'].flatMap((runtime) => {
    const value = spawnSync(runtime, ['--version']).status === 0 ? runs(runtime, rounds) : undefined;
    return value === undefined ? [] : [{ what: `${runtime} run, p50`, value, unit: 'ms' }];
  });
}

/** Undefined where it cannot run containers here. */
function runs(runtime: string, rounds: number): number | undefined {
  const bundle = mkdtempSync(join(tmpdir(), 'tektite-bench-bundle-'));
  try {
    mkdirSync(join(bundle, 'rootfs/bin'), { recursive: true });
    const busybox = spawnSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).stdout.trim();
    copyFileSync(busybox, join(bundle, 'rootfs/bin/busybox'));
    symlinkSync('busybox', join(bundle, 'rootfs/bin/true'));
    spawnSync(runtime, ['spec'], { cwd: bundle });
    const file = join(bundle, 'config.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as { process: object };
    writeFileSync(
      file,
      JSON.stringify({ ...config, process: { ...config.process, terminal: false, args: ['/bin/true'] } }),
    );
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      const { status } = spawnSync(runtime, ['run', '--bundle', bundle, `bench-${process.pid}-${round}`]);
      if (status !== 0) return undefined;
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[Math.floor(rounds / 2)];
  } finally {
    rmSync(bundle, { recursive: true, force: true });
  }
}
