import { defineConfig } from 'vitest/config';
import base, { testFiles } from './vitest.config.ts';

/** The tests that want a container engine; `npm run test:containers` finds or installs one first. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: testFiles('.containers.test.ts'),
    exclude: ['**/node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
