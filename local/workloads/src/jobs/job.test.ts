import { kinds, mergePatch } from '@tektite/client';
import type { Job, Pod } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { testCluster, type TestCluster } from '../test-support.ts';

const key = { namespace: 'default', name: 'sum' };

function job(spec: Partial<NonNullable<Job['spec']>> = {}) {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } };
  return { metadata: key, spec: { template, ...spec } };
}

const statusOf = async ({ client }: TestCluster) => (await client.get(kinds.Job, key)).status;

describe('a Job', () => {
  it('runs to its end, counts its Pods and lets them go', async () => {
    await using cluster = await testCluster({ script: () => ({ exitCode: 0, afterMs: 1000 }) });
    await cluster.client.create(kinds.Job, job({ completions: 3, parallelism: 2 }));
    await cluster.settle(20_000);
    const status = await statusOf(cluster);
    expect(status).toMatchObject({ succeeded: 3, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(
      status?.conditions?.map(({ type, status: state, reason, message }) => [type, state, reason, message]),
    ).toEqual([
      ['SuccessCriteriaMet', 'True', 'CompletionsReached', 'Reached expected number of succeeded pods'],
      ['Complete', 'True', 'CompletionsReached', 'Reached expected number of succeeded pods'],
    ]);
    expect(status?.completionTime).toBeDefined();
    const { items } = await cluster.client.list(kinds.Pod);
    expect(items.map(({ metadata }) => metadata.finalizers)).toEqual([undefined, undefined, undefined]);
    const events = (await cluster.client.list(kinds.Event)).items.filter(
      ({ source }) => source?.component === 'job-controller',
    );
    expect(events.map(({ reason }) => reason)).toEqual([
      'SuccessfulCreate',
      'SuccessfulCreate',
      'SuccessfulCreate',
      'Completed',
    ]);
  });

  it('tries again, later and later, and gives up at its limit', async () => {
    await using cluster = await testCluster({ script: () => ({ exitCode: 1 }) });
    await cluster.client.create(kinds.Job, job({ backoffLimit: 2 }));
    await cluster.settle(9000);
    expect((await statusOf(cluster))?.failed).toBe(1);
    await cluster.settle(6000);
    expect((await statusOf(cluster))?.failed).toBe(2);
    await cluster.settle(60_000);
    const status = await statusOf(cluster);
    expect(status).toMatchObject({ failed: 3 });
    expect(status?.conditions?.map(({ type, reason, message }) => [type, reason, message])).toEqual([
      ['FailureTarget', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'],
      ['Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'],
    ]);
  });

  it('ends at its deadline, with its Pods', async () => {
    await using cluster = await testCluster();
    await cluster.client.create(kinds.Job, job({ activeDeadlineSeconds: 30 }));
    await cluster.settle(29_000);
    expect(await statusOf(cluster)).toMatchObject({ active: 1, ready: 1 });
    await cluster.settle(10_000);
    const status = await statusOf(cluster);
    expect(status?.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
      ['FailureTarget', 'DeadlineExceeded'],
      ['Failed', 'DeadlineExceeded'],
    ]);
    expect((await cluster.client.list(kinds.Pod)).items).toEqual([]);
  });

  it('gives each Pod its index', async () => {
    await using cluster = await testCluster({ script: () => ({ exitCode: 0, afterMs: 1000 }) });
    await cluster.client.create(kinds.Job, job({ completions: 4, parallelism: 4, completionMode: 'Indexed' }));
    await cluster.settle(20_000);
    expect(await statusOf(cluster)).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
    const { items } = await cluster.client.list(kinds.Pod);
    expect(new Set(items.map(({ spec }) => spec?.hostname))).toEqual(new Set(['sum-0', 'sum-1', 'sum-2', 'sum-3']));
    expect(items[0]?.metadata.name).toMatch(/^sum-[0-3]-.{5}$/);
    expect(items[0]?.spec?.containers?.[0]?.env).toEqual([
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: {
          fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
        },
      },
    ]);
  });

  it('stops while it is suspended, and goes on', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Job, job());
    await cluster.settle();
    await client.patch(kinds.Job, key, mergePatch({ spec: { suspend: true } }));
    await cluster.settle();
    const suspended = await statusOf(cluster);
    expect(suspended).not.toHaveProperty('startTime');
    expect(suspended).not.toHaveProperty('active');
    expect(suspended).not.toHaveProperty('failed');
    expect(suspended?.conditions).toMatchObject([{ type: 'Suspended', status: 'True', reason: 'JobSuspended' }]);
    expect((await client.list(kinds.Pod)).items).toEqual([]);
    await client.patch(kinds.Job, key, mergePatch({ spec: { suspend: false } }));
    await cluster.settle();
    const resumed = await statusOf(cluster);
    expect(resumed).toMatchObject({
      active: 1,
      conditions: [{ type: 'Suspended', status: 'False', reason: 'JobResumed' }],
    });
  });

  it('is deleted with its Pods after its TTL', async () => {
    await using cluster = await testCluster({ script: () => ({ exitCode: 0 }) });
    await cluster.client.create(kinds.Job, job({ ttlSecondsAfterFinished: 60 }));
    await cluster.settle(50_000);
    expect(await statusOf(cluster)).toMatchObject({ succeeded: 1 });
    await cluster.settle(30_000);
    expect((await cluster.client.list(kinds.Job)).items).toEqual([]);
    expect((await cluster.client.list(kinds.Pod)).items).toEqual([]);
  });

  it('fails at once where its pod failure policy says so', async () => {
    await using cluster = await testCluster({ script: () => ({ exitCode: 42 }) });
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }];
    await cluster.client.create(kinds.Job, job({ podFailurePolicy: { rules } }));
    await cluster.settle();
    const [target] = (await statusOf(cluster))?.conditions ?? [];
    expect(target).toMatchObject({ type: 'FailureTarget', reason: 'PodFailurePolicy' });
    expect(target?.message).toMatch(
      /^Container main for pod default\/sum-.{5} failed with exit code 42 matching FailJob rule at index 0$/,
    );
  });

  it('succeeds as soon as its success policy is met', async () => {
    const script = ({ metadata }: Pod) =>
      metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === '1' ? { exitCode: 0 } : {};
    await using cluster = await testCluster({ script });
    const successPolicy = { rules: [{ succeededIndexes: '1-2', succeededCount: 1 }] };
    await cluster.client.create(
      kinds.Job,
      job({ completions: 3, parallelism: 3, completionMode: 'Indexed', successPolicy }),
    );
    await cluster.settle();
    const status = await statusOf(cluster);
    expect(status?.conditions?.map(({ type, reason, message }) => [type, reason, message])).toEqual([
      ['SuccessCriteriaMet', 'SuccessPolicy', 'Matched rules at index 0'],
      ['Complete', 'SuccessPolicy', 'Matched rules at index 0'],
    ]);
    expect(status).toMatchObject({ succeeded: 1, completedIndexes: '1' });
  });

  it('tries each index for itself, and fails when one has failed too often', async () => {
    const script = ({ metadata }: Pod) => ({
      exitCode: metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === '0' ? 1 : 0,
    });
    await using cluster = await testCluster({ script });
    const spec = { completions: 3, parallelism: 3, completionMode: 'Indexed', backoffLimitPerIndex: 1 };
    await cluster.client.create(kinds.Job, job(spec));
    await cluster.settle(60_000);
    const status = await statusOf(cluster);
    expect(status).toMatchObject({ succeeded: 2, failed: 2, completedIndexes: '1,2', failedIndexes: '0' });
    expect(status?.conditions?.map(({ type, reason, message }) => [type, reason, message])).toEqual([
      ['FailureTarget', 'FailedIndexes', 'Job has failed indexes'],
      ['Failed', 'FailedIndexes', 'Job has failed indexes'],
    ]);
  });

  it('releases the Pods of a Job that is deleted while they run', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Job, job({ parallelism: 2 }));
    await cluster.settle();
    await client.delete(kinds.Job, key, { propagationPolicy: 'Background' });
    await cluster.settle(60_000);
    expect((await client.list(kinds.Pod)).items).toEqual([]);
  });

  it('removes the tracking finalizer of orphaned Pods', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Job, job());
    await cluster.settle();
    await client.delete(kinds.Job, key, { propagationPolicy: 'Orphan' });
    await cluster.settle(60_000);
    const { items } = await client.list(kinds.Pod);
    expect(items.map(({ metadata }) => [metadata.ownerReferences, metadata.finalizers])).toEqual([
      [undefined, undefined],
    ]);
  });

  it('releases the Pods of an earlier Job of the same name', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Job, job());
    await cluster.settle();
    await client.delete(kinds.Job, key, { propagationPolicy: 'Background' });
    await client.create(kinds.Job, job());
    await cluster.settle(60_000);
    const { uid } = (await client.get(kinds.Job, key)).metadata;
    const { items } = await client.list(kinds.Pod);
    expect(items.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).toEqual([uid]);
  });

  it('adopts Pods that it selects and that have no controller, and lets go those that it no longer selects', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Job, job());
    await cluster.settle();
    const [pod] = (await client.list(kinds.Pod)).items;
    const at = { namespace: 'default', name: pod?.metadata.name ?? '' };
    await client.patch(kinds.Pod, at, mergePatch({ metadata: { ownerReferences: null } }));
    await cluster.settle();
    const adopted = await client.get(kinds.Pod, at);
    expect(adopted.metadata).toMatchObject({
      ownerReferences: [{ kind: 'Job', name: 'sum', controller: true }],
      finalizers: ['batch.kubernetes.io/job-tracking'],
    });
    await client.patch(
      kinds.Pod,
      at,
      mergePatch({ metadata: { labels: { 'batch.kubernetes.io/controller-uid': 'other' } } }),
    );
    await cluster.settle();
    const released = await client.get(kinds.Pod, at);
    expect(released.metadata).not.toHaveProperty('ownerReferences');
    expect(released.metadata).not.toHaveProperty('finalizers');
  });
});
