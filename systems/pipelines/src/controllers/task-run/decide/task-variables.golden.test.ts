import { equalJson } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { goldenCases, hasGolden } from '../../../test-support.ts';
import { replaceTaskVariables } from './task-variables.ts';

/** Runs with an embedded Task, before and after Tekton's own controller replaced its variables. */
function* runs(): Generator<{ readonly name: string; readonly taskRun: TaskRun }> {
  for (const { name, taskRuns } of goldenCases())
    for (const taskRun of taskRuns) {
      const { taskSpec } = taskRun.spec;
      if (!taskSpec || !taskRun.status?.taskSpec || taskSpec.steps?.some(({ ref }) => ref)) continue;
      yield { name: `${name} ${taskRun.metadata.name}`, taskRun };
    }
}

describe.skipIf(!hasGolden)('the Task that a run remembers is the one that Tekton remembers', () => {
  it('in every recorded case with an embedded Task', () => {
    let total = 0;
    const different: string[] = [];
    for (const { name, taskRun } of runs()) {
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
