import type { Pod } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { configDefaults, standardDefaults } from '../../../config/config-defaults.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskRunStatus } from '../../../kinds/task-run-spec.ts';
import { podFailure } from './pod-failure.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const run = { metadata: { name: 'tr' } } as TaskRun;
const initialized = { type: 'Initialized', status: 'True', lastTransitionTime: '2026-01-01T00:09:00Z' };
const pod = { status: { conditions: [initialized] } } as unknown as Pod;

function waiting(reason: string, message: string, part: 'steps' | 'sidecars' = 'steps'): TaskRunStatus {
  return { podName: 'p', [part]: [{ name: 'a', waiting: { reason, message } }] };
}

describe('a container that waits', () => {
  it.each([
    [
      'ImagePullBackOff',
      'TaskRunImagePullFailed',
      'failed to pull the image "". The pod errored with the message: "m."',
    ],
    [
      'InvalidImageName',
      'TaskRunImagePullFailed',
      'failed to pull the image "". The pod errored with the message: "m."',
    ],
    [
      'CreateContainerConfigError',
      'CreateContainerConfigError',
      'failed to start. The pod errored with the message: "m."',
    ],
    ['CreateContainerError', 'PodCreationFailed', 'failed to start. The pod errored with the message: "m."'],
  ])('in vain (%s) ends its run', (why, reason, message) => {
    const of = (what: string) => ({ reason, message: `the ${what} "a" in TaskRun "tr" ${message}` });
    expect(podFailure(waiting(why, 'm'), run, pod, standardDefaults, now)).toEqual(of('step'));
    expect(podFailure(waiting(why, 'm', 'sidecars'), run, pod, standardDefaults, now)).toEqual(of('sidecar'));
  });

  it.each(['PodInitializing', 'ContainerCreating', 'ErrImagePull'])('for %s is waited for', (reason) => {
    expect(podFailure(waiting(reason, ''), run, pod, standardDefaults, now)).toBeUndefined();
  });

  it('for its image is given the time that the settings allow, from when the Pod could start', () => {
    const status = waiting('ImagePullBackOff', 'm');
    const after = (limit: string) =>
      podFailure(status, run, pod, configDefaults.parse({ 'default-imagepullbackoff-timeout': limit }), now);
    expect(after('2m')).toBeUndefined();
    expect(after('30s')?.reason).toBe('TaskRunImagePullFailed');
  });

  it('for a runtime that is too busy is given time too', () => {
    const settings = configDefaults.parse({ 'default-create-container-error-timeout': '2m' });
    const busy = waiting('CreateContainerError', 'rpc error: context deadline exceeded');
    expect(podFailure(busy, run, pod, settings, now)).toBeUndefined();
    expect(podFailure(busy, run, pod, standardDefaults, now)?.reason).toBe('PodCreationFailed');
    expect(podFailure(waiting('CreateContainerError', 'other'), run, pod, settings, now)?.reason).toBe(
      'PodCreationFailed',
    );
  });
});
