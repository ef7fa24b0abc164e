import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { programVersion } from './find-program.ts';

it('deletes the temporary files of a program that it asks for its version', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'find-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'engine');
  writeFileSync(file, '#!/bin/sh\nmkdir "$TMPDIR/engine-run-1000" && echo engine version 4.3.1\n');
  chmodSync(file, 0o755);
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());

  expect(await programVersion('engine', file)).toBe('4.3.1');
  expect(readdirSync(folder)).toEqual(['engine']);
});
