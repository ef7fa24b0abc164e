import assert from 'node:assert/strict';
import type { Client } from '@tektite/client';
import { installKinds, Manager } from '@tektite/controller';
import { Informer } from '@tektite/controller/cache';
import { type Random, seededRandom } from '@tektite/meta';
import type { Scenario, World } from '@tektite/simulator';
import { strippingTransforms } from '../../cache/cache-transforms.ts';
import { standardDefaults } from '../../config/config-defaults.ts';
import { defaultFeatureFlags } from '../../config/feature-flags.ts';
import {
  CustomRun,
  Pipeline,
  PipelineRun as PipelineRunKind,
  Task,
  TaskRun as TaskRunKind,
} from '../../kinds/kinds.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import type { PipelineSpec, PipelineTask } from '../../kinds/pipeline-spec.ts';
import { ResolutionRequest } from '../../kinds/resolution-request.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import { isOver } from './decide/child-run.ts';
import { buildGraph } from '../../pipeline/graph.ts';
import { pipelineRunController } from './controller.ts';

const namespace = 'default';

const chance = (random: Random, probability: number) => random.next() < probability;
const below = (random: Random, limit: number) => Math.floor(random.next() * limit);

/** Tasks in any shape: matrices, conditions, results that may be missing, failures that may be. */
function randomPipeline(random: Random, size: number): PipelineSpec {
  const tasks: PipelineTask[] = [];
  for (let index = 0; index < size; index++) tasks.push(randomTask(random, tasks));
  // A matrix has no single result.
  const single = tasks.filter(({ matrix }) => !matrix).map(({ name }) => name);
  const final = Array.from({ length: below(random, 3) }, (_, index) => ({
    ...baseTask(`f${index}`),
    ...(single.length > 0 && chance(random, 0.3)
      ? { params: [{ name: 'p', value: `$(tasks.${single[0]}.results.r)` }] }
      : {}),
    ...(chance(random, 0.3) ? { when: [{ input: '$(tasks.status)', operator: 'in', values: ['Failed'] }] } : {}),
  }));
  return { tasks, ...(final.length > 0 ? { finally: final } : {}) };
}

const baseTask = (name: string): PipelineTask => ({
  name,
  taskSpec: { steps: [{ name: 's', image: 'i', script: 'true' }], results: [{ name: 'r' }] },
});

function randomTask(random: Random, before: readonly PipelineTask[]): PipelineTask {
  const index = before.length;
  const earlier = () => `t${below(random, index)}`;
  const maker = before[below(random, index)];
  const value = maker && !maker.matrix && chance(random, 0.4) ? `$(tasks.${maker.name}.results.r)` : 'x';
  return {
    ...baseTask(`t${index}`),
    ...(index > 0 && chance(random, 0.6) ? { runAfter: [...new Set([earlier(), earlier()])] } : {}),
    ...(value === 'x' ? {} : { params: [{ name: 'p', value }] }),
    ...(chance(random, 0.2) ? { matrix: { params: [{ name: 'm', value: ['1', '2', '3'] }] } } : {}),
    ...(chance(random, 0.2) ? { when: [{ input: value, operator: 'in', values: ['yes', 'x'] }] } : {}),
    ...(chance(random, 0.2) ? { onError: 'continue' } : chance(random, 0.2) ? { retries: 1 } : {}),
  };
}

/** Carries TaskRuns out, on the side of the world where nothing fails, and writes down what it saw. */
class Executor {
  /** By run and task: the runs that it had when each child began. */
  readonly starts: { readonly run: string; readonly task: string; readonly finished: ReadonlySet<string> }[] = [];
  private readonly client: Client;
  private readonly world: World;
  private readonly random: Random;
  private readonly all = new Map<string, TaskRun>();

  constructor(world: World, seed: number) {
    this.client = world.client;
    this.world = world;
    this.random = seededRandom(seed);
    const informer = new Informer<TaskRun, TaskRun>(world.client, TaskRunKind);
    informer.addHandler({
      added: (run) => this.begin(run),
      modified: (run) => {
        this.all.set(run.metadata.name ?? '', run);
        if (run.spec.status === 'TaskRunCancelled' && !isOver(run)) void this.end(run, 'TaskRunCancelled');
      },
    });
    informer.start();
  }

  private begin(run: TaskRun): void {
    const { name = '', labels = {} } = run.metadata;
    const owner = labels['tekton.dev/pipelineRun'] ?? '';
    const siblings = [...this.all.values()].filter(
      (each) => each.metadata.labels?.['tekton.dev/pipelineRun'] === owner,
    );
    const finished = new Set(
      siblings
        .map((each) => each.metadata.labels?.['tekton.dev/pipelineTask'] ?? '')
        .filter((task) =>
          siblings.filter((each) => each.metadata.labels?.['tekton.dev/pipelineTask'] === task).every(isOver),
        ),
    );
    this.starts.push({ run: owner, task: labels['tekton.dev/pipelineTask'] ?? '', finished });
    this.all.set(name, run);
    const outcome = chance(this.random, 0.12) ? 'StepFailed' : 'Succeeded';
    this.world.clock.setTimer(100 + this.random.next() * 60_000, () => {
      const latest = this.all.get(name);
      if (latest && !isOver(latest)) void this.end(latest, outcome);
    });
  }

  private async end(run: TaskRun, reason: string): Promise<void> {
    const status = reason === 'Succeeded' ? 'True' : 'False';
    const results = chance(this.random, 0.9) ? [{ name: 'r', type: 'string', value: 'yes' }] : [];
    const reported = { podName: 'p', conditions: [{ type: 'Succeeded', status, reason }], results };
    const { name = '' } = run.metadata;
    const latest = await this.client.get(TaskRunKind, { namespace, name }).catch(() => undefined);
    if (!latest || isOver(latest)) return;
    const done = await this.client
      .updateStatus(TaskRunKind, { ...latest, status: reported } as TaskRun)
      .catch(() => undefined);
    if (done) this.all.set(name, done);
    else this.world.clock.setTimer(100, () => void this.end(run, reason));
  }
}

const modes = ['Cancelled', 'CancelledRunFinally', 'StoppedRunFinally'];

export function pipelineRunScenario(seed: number, size: number): Scenario {
  let executor: Executor;
  const specs = new Map<string, PipelineSpec>();
  return {
    async prepare(world) {
      await installKinds(world.client, [Task, TaskRunKind, Pipeline, PipelineRunKind, CustomRun, ResolutionRequest]);
      executor = new Executor(world, seed);
    },
    async start(client) {
      const manager = new Manager(client, { name: 'PipelineRun', graceMs: 0 });
      const settings = { flags: () => defaultFeatureFlags, defaults: () => standardDefaults };
      manager.add(pipelineRunController({ ...settings, nopImage: 'nop', transforms: strippingTransforms }));
      manager.start();
    },
    async act({ client, random, sleep }) {
      for (const name of ['one', 'two']) {
        const pipelineSpec = randomPipeline(random, 1 + below(random, size));
        specs.set(name, pipelineSpec);
        const timeouts = chance(random, 0.3) ? { pipeline: '4m0s', tasks: '2m0s' } : { pipeline: '40m0s' };
        await client.create(PipelineRunKind, { metadata: { namespace, name }, spec: { pipelineSpec, timeouts } });
        await sleep(random.next() * 60_000);
        if (!chance(random, 0.25)) continue;
        const body = { spec: { status: modes[below(random, modes.length)] } };
        await client.patch(PipelineRunKind, { namespace, name }, { contentType: 'application/merge-patch+json', body });
      }
      await sleep(1_800_000);
    },
    async check({ client }) {
      const { items } = await client.list(TaskRunKind, { namespace });
      for (const [name, spec] of specs) {
        const run = await client.get(PipelineRunKind, { namespace, name });
        const own = items.filter(({ metadata }) => metadata.labels?.['tekton.dev/pipelineRun'] === name);
        mustBeSound(run, spec, own, executor);
      }
    },
  };
}

function mustBeSound(run: PipelineRun, spec: PipelineSpec, taskRuns: readonly TaskRun[], { starts }: Executor): void {
  const { name = '' } = run.metadata;
  const { status: how, reason, message = '' } = run.status?.conditions?.[0] ?? {};
  assert.ok(how === 'True' || how === 'False', `${name} must end: ${reason} ${message}`);
  const taskOf = ({ metadata }: TaskRun) => metadata.labels?.['tekton.dev/pipelineTask'] ?? '';
  const started = new Set(taskRuns.map(taskOf));
  const skipped = new Set((run.status?.skippedTasks ?? []).map((task) => task.name));
  const children = (run.status?.childReferences ?? []).map((child) => child.name).sort();
  assert.deepEqual(children, taskRuns.map(({ metadata }) => metadata.name ?? '').sort(), `children of ${name}`);
  const all = [...(spec.tasks ?? []), ...(spec.finally ?? [])];
  const isCut = run.spec.status === 'Cancelled' || reason === 'PipelineRunTimeout';
  for (const task of all) {
    const expected = task.matrix ? 3 : 1;
    const count = taskRuns.filter((each) => taskOf(each) === task.name).length;
    // A matrix that was created in part when the run was cancelled stays so.
    if (isCut || run.spec.status) assert.ok(count <= expected, `${name}: ${count} runs of ${task.name}`);
    else assert.ok(count === 0 || count === expected, `${name}: ${count} runs of ${task.name}`);
  }
  const { parents } = buildGraph(spec.tasks ?? []);
  for (const { task, finished } of starts.filter((each) => each.run === name)) {
    const before = parents.get(task) ?? (spec.tasks ?? []).map((each) => each.name);
    for (const parent of before)
      assert.ok(finished.has(parent) || !started.has(parent), `${name}: ${task} started before ${parent} completed`);
  }
  for (const task of isCut ? [] : (spec.finally ?? []))
    assert.ok(started.has(task.name) || skipped.has(task.name), `${name}: ${task.name} must have its turn`);
  const counts = /Completed: (\d+) .*Skipped: (\d+)(?:, Failed Validation: (\d+))?/.exec(message);
  if (counts) {
    const [completed = 0, left = 0, invalid = 0] = counts.slice(1).map((text) => Number(text ?? 0));
    assert.equal(completed + left + invalid, all.length, message);
    assert.equal(completed, started.size, message);
  }
}
