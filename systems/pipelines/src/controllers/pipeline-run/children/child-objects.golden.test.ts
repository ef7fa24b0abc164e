import { equalJson } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { configDefaults } from '../../../config/config-defaults.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { type GoldenCase, goldenCases, hasGolden } from '../../../test-support.ts';
import { defaultTaskRun } from '../../../rules/defaults/default-task-run.ts';
import { replaceInBindings } from '../../../workspace/replace-in-bindings.ts';
import { assistantOf } from '../decide/affinity-assistant.ts';
import { taskRunFor } from './child-objects.ts';
import type { ChildRun } from '../decide/child-run.ts';
import { Legacy, withTaskContext } from './child-variables.ts';
import { PipelineFacts } from '../decide/facts.ts';
import { buildGraph } from '../../../pipeline/graph.ts';
import { fanOut } from '../../../pipeline/matrix.ts';
import { givenParams } from '../decide/pipeline-params.ts';
import { replaceInPipelineTask } from '../decide/replace-in-pipeline.ts';
import { resolveResults } from '../decide/task-results.ts';
import { TaskState } from '../decide/task-state.ts';
import { taskStatusVariables } from '../decide/task-status-variables.ts';
import { Stopwatch, timeoutsOf } from '../decide/timeouts.ts';

/** The facts when everything had completed, and the states by the names of their tasks. */
function factsOf(run: PipelineRun, { objects }: GoldenCase): PipelineFacts {
  const { childReferences = [], pipelineSpec = {} } = run.status ?? {};
  const { tasks = [], finally: final = [] } = pipelineSpec;
  const states = [...tasks, ...final].map((task) => {
    const state = new TaskState(task, final.includes(task));
    const own = childReferences.filter(({ pipelineTaskName }) => pipelineTaskName === task.name);
    state.names = own.map(({ name }) => name);
    state.runs = own.map(({ kind = '', name }) => objects[`${kind}/${name}`] as ChildRun);
    const [first] = state.runs as readonly TaskRun[];
    const { apiVersion: _, kind: __, metadata: ___, spec: ____, ...inline } = task.taskSpec ?? {};
    state.resolved = task.taskRef
      ? {
          name: first?.spec.taskRef ? 'referred' : '',
          ...(first?.status?.taskSpec ? { taskSpec: first.status.taskSpec } : {}),
        }
      : { name: '', taskSpec: inline };
    return state;
  });
  const stopwatch = new Stopwatch(timeoutsOf(run.spec, 60), {}, 0);
  return new PipelineFacts({ states, graph: buildGraph(tasks), specStatus: '', stopwatch });
}

/** The TaskRuns of a task, as they would be created now. */
function* taskRunsOf(
  state: TaskState,
  run: PipelineRun,
  facts: PipelineFacts,
  { flags }: GoldenCase,
): Generator<TaskRun> {
  if (state.isFinal) state.task = replaceInPipelineTask(state.task, taskStatusVariables(facts));
  const results = resolveResults(facts.byName, state);
  if (results.missing === undefined) state.task = replaceInPipelineTask(state.task, results.replacements);
  state.task = withTaskContext(state.task, facts);
  const legacy = new Legacy(facts);
  legacy.inherit(state);
  const known = givenParams(run.spec.params ?? []);
  const workspaces = replaceInBindings(replaceInBindings(run.spec.workspaces ?? [], known), legacy.results);
  const bound = { ...run, spec: { ...run.spec, workspaces } };
  const combinations = state.task.matrix ? fanOut(state.task.matrix) : [];
  for (const [index, name] of state.names.entries())
    yield taskRunFor(name, combinations[index] ?? [], state, bound, {
      timeouts: facts.stopwatch.timeouts,
      defaultTimeoutMinutes: 60,
      claimNameOf: ({ name: workspace, volumeClaimTemplate }) =>
        `${volumeClaimTemplate?.metadata?.name || 'pvc'}-{hash:${workspace}+uid:PipelineRun/${run.metadata.name}}`,
      assistantOf: (workspace) => assistantOf(workspace, run, flags),
    });
}

describe.skipIf(!hasGolden)('the TaskRuns of a PipelineRun are those that Tekton creates', () => {
  it('in every recorded case', () => {
    let total = 0;
    const different: string[] = [];
    for (const recorded of goldenCases()) {
      const defaults = configDefaults.parse(recorded.config['config-defaults'] ?? {});
      const rules = { flags: recorded.flags, defaults, version: 'v1', isCreate: true } as const;
      for (const object of Object.values(recorded.objects)) {
        const run = {
          ...object,
          metadata: { ...object.metadata, uid: `{uid:PipelineRun/${object.metadata.name}}` },
        } as PipelineRun;
        if (run.kind !== 'PipelineRun' || !run.status?.childReferences || recorded.flags.coschedule !== 'workspaces')
          continue;
        const facts = factsOf(run, recorded);
        for (const state of facts.states) {
          if (state.kind !== 'TaskRun' || !state.hasRuns()) continue;
          for (const draft of taskRunsOf(state, run, facts, recorded)) {
            total++;
            const theirs = recorded.objects[`TaskRun/${draft.metadata.name}`] as TaskRun;
            const { status: _, statusMessage: __, ...spec } = theirs.spec;
            const ours = defaultTaskRun(draft, rules);
            if (!equalJson(ours.spec, spec)) different.push(`${recorded.name} ${draft.metadata.name}: spec`);
            const { 'tekton.dev/task': ___, ...labels } = theirs.metadata.labels ?? {};
            const { 'tekton.dev/task': ____, ...own } = ours.metadata.labels ?? {};
            if (!equalJson(own, labels)) different.push(`${recorded.name} ${draft.metadata.name}: labels`);
          }
        }
      }
    }
    expect(total).toBeGreaterThan(100);
    expect(different).toEqual([]);
  });
});
