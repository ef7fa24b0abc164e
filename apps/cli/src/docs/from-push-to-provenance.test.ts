import { spawnSync } from 'node:child_process';
import { it } from 'vitest';
import { itCanBeFollowed } from './test-support.ts';

if (spawnSync('docker-registry', ['--version']).error)
  it.skip("docs/from-push-to-provenance.md: Debian's docker-registry is absent; not followed", () => undefined);
else itCanBeFollowed('docs/from-push-to-provenance.md');
