import { defineConfig } from 'vitest/config';

/** A release, made and installed: packages as users get them. */
export default defineConfig({
  test: {
    include: ['scripts/{image,node-versions,release}/*.packages.test.mjs'],
    globalSetup: './scripts/release/make-release.mjs',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
