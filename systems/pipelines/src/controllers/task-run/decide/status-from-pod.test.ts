import type { Pod } from '@tektite/schema/kubernetes';
import { expect, it } from 'vitest';
import { defaultFeatureFlags } from '../../../config/feature-flags.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { statusFromPod } from './status-from-pod.ts';

const message = JSON.stringify([{ key: 'r', value: '["a"]', type: 4 }]);
const ended = (name: string) => ({ name, state: { terminated: { exitCode: 0, message } } });

function podOf(...names: readonly string[]): Pod {
  const containers = names.map((name) => ({ name }));
  const containerStatuses = names.toSorted().map(ended);
  return {
    metadata: { name: 'p' },
    spec: { containers },
    status: { phase: 'Succeeded', containerStatuses },
  } as unknown as Pod;
}

const statusOf = (pod: Pod, task: TaskSpec = {}) =>
  statusFromPod({ podName: '' }, { pod, task, flags: defaultFeatureFlags, log: [], ignoresFailure: false, now: 0 });

it('steps and sidecars are reported in the order of the spec, however the node sorts them', () => {
  const status = statusOf(podOf('step-b', 'step-a', 'sidecar-z', 'sidecar-y'));
  expect(status.steps?.map(({ name }) => name)).toEqual(['b', 'a']);
  expect(status.sidecars?.map(({ name }) => name)).toEqual(['z', 'y']);
});

it('the type of a result is the one that its step declares, if the step has a name', () => {
  const results = [{ name: 'r', type: 'string' as const }];
  const task = {
    steps: [
      { name: 'a', results },
      { name: '', results },
    ],
  };
  const { steps } = statusOf(podOf('step-a', 'step-unnamed-1'), task);
  expect(steps?.map((step) => step.results)).toEqual([
    [{ name: 'r', type: 'string', value: '["a"]' }],
    [{ name: 'r', type: 'array', value: ['a'] }],
  ]);
});
