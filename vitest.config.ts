import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import manifest from './package.json' with { type: 'json' };

/** The test files of all rooms whose names end with a suffix. */
export function testFiles(suffix: string): string[] {
  return manifest.workspaces.map((room) => `${room}/**/*${suffix}`);
}

export default defineConfig({
  // Workspace packages resolve to their TypeScript source, so a test sees an edit without a build.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: [...testFiles('.test.ts'), 'scripts/**/*.test.mjs'],
    // These need a browser, a real kube-apiserver, a container engine, users and a terminal, or a release: see the other configurations.
    exclude: [
      ...configDefaults.exclude,
      '**/*.browser.test.ts',
      '**/*.cluster.test.ts',
      '**/*.containers.test.ts',
      '**/*.stranger.test.ts',
      '**/*.packages.test.mjs',
    ],
    // Tests of the command run the edited source, not the last bundle.
    globalSetup: './apps/cli/scripts/fresh-bundle.mjs',
    // A busy machine is slow, not broken: waiting ends early where what is awaited comes.
    // Commands of tests ask no registries but those that the test starts.
    env: { TEKTITE_OFFLINE: '1' },
    testTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // Much of the time is waiting for processes: even two cores have something to do for three workers.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Where others wait for the result, a test that a busy machine upset is tried once more, and the report says so.
    retry: process.env.CI ? 1 : 0,
  },
});
