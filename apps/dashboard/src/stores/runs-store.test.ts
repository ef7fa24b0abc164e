import { systemClock } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { serveKind, transportApi } from '../test-support.ts';
import { RunActions } from './run-actions.ts';
import { RunsStore } from './runs-store.ts';

/** The resources without their webhooks and controllers. */
async function startPlane(): Promise<ControlPlane> {
  const plane = await startControlPlane();
  for (const kind of ['PipelineRun', 'TaskRun']) await serveKind(plane, 'tekton.dev', kind);
  return plane;
}

const view = { namespace: '', text: '', sort: 'name', scope: 'runs' } as const;
const make = (
  plane: ControlPlane,
  name: string,
  more: { kind?: string; labels?: Record<string, string>; status?: object } = {},
) => {
  const { kind = 'PipelineRun', labels = {}, status } = more;
  const condition = status ?? { conditions: [{ type: 'Succeeded', status: 'Unknown', reason: 'Running' }] };
  return plane.client.create({
    apiVersion: 'tekton.dev/v1',
    kind,
    metadata: { namespace: 'default', name, labels },
    spec: {},
    status: condition,
  } as never);
};
const open = (plane: ControlPlane) =>
  new RunsStore({ api: transportApi(plane.transport()), clock: systemClock, schedule: (flush) => flush() });
const names = (store: RunsStore) => store.shown.value.map(({ name }) => name);

describe('the store of runs', () => {
  it('shows the runs of several namespaces', async () => {
    await using plane = await startPlane();
    for (const name of ['one', 'two', 'three']) {
      await plane.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as never);
      const metadata = { namespace: name, name: `of-${name}` };
      await plane.client.create({ apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', metadata, spec: {} } as never);
    }
    const store = open(plane);
    store.show({ ...view, namespace: 'one,two' });
    await expect.poll(() => names(store)).toEqual(['of-one', 'of-two']);
    store.show({ ...view, namespace: 'three' });
    await expect.poll(() => names(store)).toEqual(['of-three']);
    store.stop();
  });

  it('follows runs as they come, change and go', async () => {
    await using plane = await startPlane();
    await make(plane, 'a');
    const store = open(plane);
    store.show(view);
    await expect.poll(() => store.state.value).toBe('live');
    expect(names(store)).toEqual(['a']);
    await make(plane, 'b', { kind: 'TaskRun' });
    await expect.poll(() => names(store)).toEqual(['a', 'b']);
    await plane.client.delete(
      { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun' },
      { namespace: 'default', name: 'a' },
    );
    await expect.poll(() => names(store)).toEqual(['b']);
    store.stop();
  });

  it('shows the TaskRuns of PipelineRuns only when they are asked for', async () => {
    await using plane = await startPlane();
    await make(plane, 'run');
    await make(plane, 'run-build', { kind: 'TaskRun', labels: { 'tekton.dev/pipelineRun': 'run' } });
    const store = open(plane);
    store.show(view);
    await expect.poll(() => store.state.value).toBe('live');
    expect(names(store)).toEqual(['run']);
    store.show({ ...view, scope: 'all' });
    await expect.poll(() => names(store)).toEqual(['run', 'run-build']);
    store.stop();
  });

  it('counts states before it filters by one', async () => {
    await using plane = await startPlane();
    await make(plane, 'a');
    await make(plane, 'b', { status: { conditions: [{ type: 'Succeeded', status: 'False', reason: 'Failed' }] } });
    const store = open(plane);
    store.show({ ...view, state: 'failed' });
    await expect.poll(() => store.state.value).toBe('live');
    expect(names(store)).toEqual(['b']);
    expect([store.counts.value.get('running'), store.counts.value.get('failed'), store.total.value]).toEqual([1, 1, 2]);
    store.stop();
  });

  it('reads all pages of a long list', async () => {
    await using plane = await startPlane();
    for (let index = 0; index < 520; index++) await make(plane, `run-${index}`);
    const store = open(plane);
    store.show(view);
    await expect.poll(() => store.shown.value.length).toBe(520);
    store.stop();
  });

  it('reports a denial and stays as it is', async () => {
    await using plane = await startPlane();
    const api = transportApi(plane.transport({ name: 'ann', groups: [] }));
    const store = new RunsStore({ api, clock: systemClock, schedule: (flush) => flush() });
    store.show(view);
    await expect.poll(() => store.state.value).toBe('failed');
    expect(store.error.value).toContain('cannot list resource');
    store.stop();
  });

  it('cancels and deletes many runs, and returns the errors of those that failed', async () => {
    await using plane = await startPlane();
    await make(plane, 'a');
    const actions = new RunActions(transportApi(plane.transport()));
    const runs = ['a', 'missing'].map((name) => ({ kind: 'PipelineRun', namespace: 'default', name }));
    expect(await actions.each(runs, (each) => actions.cancel(each))).toEqual([
      expect.stringMatching(/^missing: .*not found/),
    ]);
    const key = { namespace: 'default', name: 'a' };
    const kind = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun' };
    expect(await plane.client.get(kind, key)).toMatchObject({ spec: { status: 'Cancelled' } });
    expect(await actions.each(runs.slice(0, 1), (each) => actions.delete(each))).toEqual([]);
    await expect(plane.client.get(kind, key)).rejects.toThrow('not found');
  });
});
