import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { equalJson, type KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { TaskRun } from '../kinds/task-run.ts';
import { replaceTaskVariables } from './task-variables.ts';

/** Tasks before and after Tekton's own controller replaced their variables, where the recordings are at hand. */
const golden = new URL('../../../../../shared/golden/tekton/', import.meta.url).pathname;

function* taskRuns(): Generator<{ readonly name: string; readonly taskRun: TaskRun }> {
  for (const file of readdirSync(golden, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('expected.json')) continue;
    const { objects = {} } = JSON.parse(readFileSync(join(golden, file), 'utf8')) as {
      objects?: Record<string, KubeObject>;
    };
    for (const [key, object] of Object.entries(objects)) {
      const taskRun = object as TaskRun;
      const { taskSpec } = taskRun.spec;
      if (!key.startsWith('TaskRun/') || !taskSpec || !taskRun.status?.taskSpec) continue;
      if (taskSpec.steps?.some(({ ref }) => ref)) continue;
      yield { name: `${file.replace('/expected.json', '')} ${key}`, taskRun };
    }
  }
}

describe.skipIf(!existsSync(golden))('the Task that a run remembers is the one that Tekton remembers', () => {
  it('in every recorded case with a Task of its own', () => {
    let total = 0;
    const different: string[] = [];
    for (const { name, taskRun } of taskRuns()) {
      total++;
      const { taskSpec = {}, workspaces = [] } = taskRun.spec;
      // A Task within a run has the workspaces of the run, declared or not.
      const declared = taskSpec.workspaces ?? [];
      const more = workspaces
        .filter((each) => !declared.some((own) => own.name === each.name))
        .map((each) => ({ name: each.name }));
      const whole = declared.length + more.length > 0 ? { ...taskSpec, workspaces: [...declared, ...more] } : taskSpec;
      const uid = `{uid:TaskRun/${taskRun.metadata.name}}`;
      const run = { ...taskRun, metadata: { ...taskRun.metadata, uid } };
      const ours = replaceTaskVariables(whole, run, taskRun.metadata.name ?? '');
      if (!equalJson(ours, taskRun.status?.taskSpec)) different.push(name);
    }
    expect(total).toBeGreaterThan(100);
    expect(different).toEqual([]);
  });
});
