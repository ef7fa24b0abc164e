import { defineConfig } from 'vitest/config';
import base, { testFiles } from './vitest.config.ts';

/** The built command as a new user meets it: fresh homes, root and ordinary users, a terminal; `npm run test:stranger` prepares them. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: testFiles('.stranger.test.ts'),
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
