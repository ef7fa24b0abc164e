import { defineConfig } from 'vitest/config';
import base, { testFiles } from './vitest.config.ts';

/** The tests that want a real kube-apiserver; `npm run test:cluster` finds or builds one first. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: testFiles('.cluster.test.ts'),
    exclude: ['**/node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
