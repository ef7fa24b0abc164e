import { defineConfig } from 'vitest/config';
import base, { testFiles } from './vitest.config.ts';

/** The dashboard in Debian's Chromium, against the built command; `npm run test:browser` prepares them. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: testFiles('.browser.test.ts'),
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 1,
  },
});
