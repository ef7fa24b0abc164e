import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Workspace packages resolve to their TypeScript source, so a test sees an edit without a build.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['{core,local,systems,apps,testing,examples,bench}/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'forks',
  },
});
