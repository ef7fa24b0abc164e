import { equalJson } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineSpec } from '../../../kinds/pipeline-spec.ts';
import { type GoldenCase, goldenCases, hasGolden } from '../../../test-support.ts';
import type { ChildRun } from './child-run.ts';
import { pipelineOutcome } from './condition.ts';
import { PipelineFacts } from './facts.ts';
import { buildGraph } from '../../../pipeline/graph.ts';
import { pipelineResults } from './pipeline-results.ts';
import { replaceInPipelineTask } from './replace-in-pipeline.ts';
import { reportTasks } from './run-report.ts';
import { resolveResults } from './task-results.ts';
import { TaskState } from './task-state.ts';
import { taskStatusVariables } from './task-status-variables.ts';
import { Stopwatch } from './timeouts.ts';

/** PipelineRuns that ran to their end, with all that belongs to them. Times are not recorded, so those that ran out of time are left out. */
function* runs(): Generator<{ readonly name: string; readonly run: PipelineRun; readonly recorded: GoldenCase }> {
  for (const recorded of goldenCases())
    for (const object of Object.values(recorded.objects)) {
      const run = object as PipelineRun;
      const { status, message = '' } = run.status?.conditions?.[0] ?? {};
      if (run.kind !== 'PipelineRun' || !run.status?.pipelineSpec || status === 'Unknown') continue;
      if (!message.startsWith('Tasks Completed') || !run.status.completionTime) continue;
      yield { name: `${recorded.name} ${run.metadata.name}`, run, recorded };
    }
}

/** The facts of the last reconcile of a run: its children in their final state. */
function factsOf(run: PipelineRun, spec: PipelineSpec, { objects }: GoldenCase): PipelineFacts {
  const { childReferences = [] } = run.status ?? {};
  const started = new Set(childReferences.map(({ pipelineTaskName }) => pipelineTaskName));
  const all = [...(spec.tasks ?? []), ...(spec.finally ?? [])];
  const states = new Map<string, TaskState>();
  const ordered = [...all.filter(({ name }) => started.has(name)), ...all.filter(({ name }) => !started.has(name))];
  for (const task of ordered) {
    const state = new TaskState(task, (spec.finally ?? []).includes(task));
    const results = resolveResults(states, state);
    if (results.missing === undefined) state.task = replaceInPipelineTask(task, results.replacements);
    const own = childReferences.filter(({ pipelineTaskName }) => pipelineTaskName === task.name);
    state.names = own.map(({ name }) => name);
    state.runs = own.map(({ kind = '', name }) => objects[`${kind}/${name}`] as ChildRun);
    state.evaluateCel();
    states.set(task.name, state);
  }
  const graph = buildGraph(spec.tasks ?? []);
  const stopwatch = new Stopwatch({ pipeline: 0 }, {}, 0);
  const facts = new PipelineFacts({
    states: [...states.values()],
    graph,
    specStatus: run.spec.status ?? '',
    stopwatch,
  });
  const variables = taskStatusVariables(facts);
  for (const state of facts.nextFinalTasks()) {
    state.task = replaceInPipelineTask(state.task, variables);
    state.evaluateCel();
  }
  facts.addChildren(new Map());
  return facts;
}

const byName = <T extends { readonly name: string }>(list: readonly T[] = []) =>
  [...list].sort((a, b) => (a.name < b.name ? -1 : 1));

describe.skipIf(!hasGolden)('the status of a PipelineRun is the one that Tekton writes', () => {
  it('in every recorded case that ran to its end', () => {
    let total = 0;
    const different: string[] = [];
    for (const { name, run, recorded } of runs()) {
      const { pipelineSpec = {}, conditions = [], childReferences, skippedTasks, results } = run.status ?? {};
      const facts = factsOf(run, pipelineSpec, recorded);
      const { status, reason, message } = conditions[0] ?? {};
      // Missing results are detected when tasks start, which is not tested here.
      if (reason === 'PipelineValidationFailed') continue;
      total++;
      const report = reportTasks(facts);
      const compare = (what: string, ours: unknown, theirs: unknown) => {
        if (!equalJson(ours, theirs)) different.push(`${name}: ${what}`);
      };
      compare('condition', pipelineOutcome(facts, run.metadata.name ?? ''), { status, reason, message });
      compare('childReferences', byName(report.childReferences), byName(childReferences));
      compare('skippedTasks', byName(report.skippedTasks), byName(skippedTasks));
      compare('results', byName(pipelineResults(pipelineSpec.results ?? [], facts).results), byName(results));
    }
    expect(total).toBeGreaterThan(50);
    expect(different).toEqual([]);
  });
});
