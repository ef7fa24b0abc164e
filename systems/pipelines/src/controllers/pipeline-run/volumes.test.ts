import { afterEach, describe, expect, it } from 'vitest';
import type { FeatureFlags } from '../../config/feature-flags.ts';
import type { PipelineRunSpec } from '../../kinds/pipeline-run-spec.ts';
import { PipelineBench, task } from './test-support.ts';

let bench: PipelineBench;
afterEach(() => bench.stop());

const template = {
  volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
} as never as object;
const spec: PipelineRunSpec = {
  workspaces: [{ name: 'w', subPath: 'outer', ...template }],
  pipelineSpec: { workspaces: [{ name: 'w' }] },
};
const tasks = [task('a', { workspaces: [{ name: 'x', workspace: 'w', subPath: 'inner' }] })];

async function start(coschedule: FeatureFlags['coschedule']): Promise<void> {
  bench = await PipelineBench.start({ coschedule });
  await bench.run(tasks, spec);
}

const names = async (kind: 'StatefulSet' | 'PersistentVolumeClaim') =>
  (await bench.exists(kind)).map(({ metadata }) => metadata.name);

describe('the workspaces of a run', () => {
  it('have a claim and an affinity assistant each, which is deleted when the run has completed', async () => {
    await start('workspaces');
    const [claim = ''] = await names('PersistentVolumeClaim');
    expect(claim).toMatch(/^pvc-[0-9a-f]{10}$/);
    const [assistant = ''] = await names('StatefulSet');
    expect(assistant).toMatch(/^affinity-assistant-[0-9a-f]{10}$/);
    const [made] = await bench.exists('StatefulSet');
    expect(made).toHaveProperty('spec.template.spec.containers.0.securityContext', {});
    const { metadata, spec: child } = await bench.taskRun('pr-a');
    expect(metadata.annotations).toEqual({ 'pipeline.tekton.dev/affinity-assistant': assistant });
    expect(child.workspaces).toEqual([
      { name: 'x', subPath: 'outer/inner', persistentVolumeClaim: { claimName: claim } },
    ]);
    await bench.end('pr-a', 'ok');
    expect(await names('StatefulSet')).toEqual([]);
    expect(await names('PersistentVolumeClaim')).toEqual([claim]);
  });

  it('have one affinity assistant for all, which makes the claims', async () => {
    await start('pipelineruns');
    expect(await names('PersistentVolumeClaim')).toEqual([]);
    const [assistant = ''] = await names('StatefulSet');
    const { spec: child } = await bench.taskRun('pr-a');
    expect(child.workspaces?.[0]?.persistentVolumeClaim?.claimName).toMatch(
      new RegExp(`^pvc-[0-9a-f]{10}-${assistant}-0$`),
    );
  });

  it('have a claim and no affinity assistant', async () => {
    await start('disabled');
    expect(await names('PersistentVolumeClaim')).toHaveLength(1);
    expect(await names('StatefulSet')).toEqual([]);
    expect((await bench.taskRun('pr-a')).metadata.annotations).toBeUndefined();
  });

  it('are found by the Tasks within the Pipeline that use them', async () => {
    bench = await PipelineBench.start();
    const taskSpec = { steps: [{ image: 'i', script: 'ls $(workspaces.w.path)' }] };
    await bench.run([task('a', { taskSpec })], { workspaces: [{ name: 'w', emptyDir: {} }] });
    expect((await bench.taskRun('pr-a')).spec.workspaces).toEqual([{ name: 'w', emptyDir: {} }]);
  });
});
