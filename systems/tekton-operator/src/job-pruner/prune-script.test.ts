import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pruneScript } from './prune-script.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tektite-prune-'));
  const tkn = join(folder, 'tkn');
  const log = join(folder, 'calls');
  // Lists have two names; the kind `task` cannot be listed in `broken`, and nothing can be deleted in `stuck`.
  writeFileSync(
    tkn,
    `#!/bin/sh\necho "$*" >> ${log}\ncase "$*" in\n*list*namespace=broken*) exit 1;;\n*list*) echo "one two";;\n*namespace=stuck*) exit 1;;\nesac\n`,
  );
  chmodSync(tkn, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(list: string): { readonly code: number | null; readonly calls: readonly string[] } {
  const { status } = spawnSync('/bin/sh', ['-c', pruneScript, '-s', list], {
    env: { PATH: `${folder}:${process.env.PATH}` },
    encoding: 'utf8',
  });
  return { code: status, calls: readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n') };
}

it('deletes what the list says', () => {
  expect(run('a;--keep=5,--keep-since=9;pipelinerun,taskrun;false b;--keep=1;taskrun;false')).toEqual({
    code: 0,
    calls: [
      'pipelinerun delete --keep=5 --keep-since=9 --namespace=a --force',
      'taskrun delete --keep=5 --keep-since=9 --namespace=a --force',
      'taskrun delete --keep=1 --namespace=b --force',
    ],
  });
});

it('goes through the parents one by one on request', () => {
  expect(run('a;--keep=5;pipelinerun;true')).toEqual({
    code: 0,
    calls: [
      'pipeline list --namespace=a --no-headers --output=jsonpath={.items[*].metadata.name}',
      'pipelinerun delete --pipeline=one --keep=5 --namespace=a --force',
      'pipelinerun delete --pipeline=two --keep=5 --namespace=a --force',
    ],
  });
});

it('continues after a failure, and reports it in the end', () => {
  const { code, calls } = run('stuck;--keep=1;taskrun;false broken;--keep=1;taskrun;true a;--keep=1;taskrun;false');
  expect(code).toBe(1);
  expect(calls.at(-1)).toBe('taskrun delete --keep=1 --namespace=a --force');
});
