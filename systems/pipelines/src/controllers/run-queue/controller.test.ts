import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PipelineRun } from '../../kinds/kinds.ts';
import { namespace, PipelineBench, task } from '../pipeline-run/test-support.ts';

let bench: PipelineBench;

beforeEach(async () => {
  bench = await PipelineBench.start();
});

afterEach(() => bench.stop());

/** A run of the group, as the webhook leaves it. */
async function create(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
  const spec = { status: 'PipelineRunPending', pipelineSpec: { tasks: [task('t')] } };
  await bench.create(spec, name, { 'tektite.dev/concurrency-group': 'deploy', ...annotations });
  // The order of creation has a resolution of whole seconds.
  await bench.clock.advance(1000);
}

const replace = { 'tektite.dev/concurrency-strategy': 'cancel-in-progress' };

describe('PipelineRuns of a group', () => {
  it('run one after the other, in the order of their creation', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    expect(await bench.taskRuns()).toEqual(['a-t']);
    expect(await bench.condition('b')).toBe('Unknown PipelineRunPending: PipelineRun "b" is pending');
    await bench.end('a-t', 'ok');
    expect(await bench.taskRuns()).toEqual(['a-t', 'b-t']);
    await bench.end('b-t', 'failed');
    expect(await bench.taskRuns()).toEqual(['a-t', 'b-t', 'c-t']);
  });

  it('do not wait for ever for one that was deleted', async () => {
    await create('a');
    await create('b');
    await bench.plane.client.delete(PipelineRun, { namespace, name: 'a' });
    await bench.clock.advance(31_000);
    expect(await bench.taskRuns()).toContain('b-t');
  });

  it('make room for a new one, if that says so', async () => {
    await create('a', replace);
    await create('b', replace);
    expect(await bench.condition('a')).toMatch(/^False Cancelled/);
    await bench.end('a-t', 'failed');
    expect(await bench.taskRuns()).toEqual(['a-t', 'b-t']);
  });

  it('leave runs of other groups, and of none, alone', async () => {
    await create('a');
    await create('b', { 'tektite.dev/concurrency-group': 'other' });
    await bench.run([task('t')], {}, 'c');
    expect(await bench.taskRuns()).toEqual(['a-t', 'b-t', 'c-t']);
  });
});
