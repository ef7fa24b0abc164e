import { kinds } from '@tektite/client';
import { startSystems } from '@tektite/controller';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { CustomRun, PipelineRun, TaskRun } from './kinds/runs.ts';
import { EmbeddedStorage } from './storage/embedded/embedded-storage.ts';
import { resultsSystem } from './system.ts';
import { createRun, installRuns, namespace, startArchive, succeeded, temporaryFolder } from './test-support.ts';
import {
  type ListRecordsResponse,
  listRecordsResponseType,
  listRequestType,
  nameRequestType,
  resultType,
} from './wire/messages.ts';

const timeout = 20_000;
const stored = 'results.tekton.dev/stored';

type Listed = {
  readonly records?: readonly { readonly name: string; readonly data: { type: string; value: string } }[];
};

const dataOf = ({ data }: NonNullable<Listed['records']>[number]) =>
  JSON.parse(Buffer.from(data.value, 'base64').toString()) as { metadata: { name: string } };

describe('a completed run', () => {
  it('is archived once, says where, and stays listed when it is deleted', async () => {
    await using archive = await startArchive();
    const token = await archive.tokenOf('reader', 'readonly');
    const run = await createRun(archive.client, TaskRun, 'build', { labels: { app: 'shop' } });
    const { uid } = run.metadata;
    const annotations = async () =>
      (await archive.client.get(TaskRun, { namespace, name: 'build' })).metadata.annotations ?? {};
    await expect.poll(annotations, { timeout }).toMatchObject({ [stored]: 'true' });
    const result = `default/results/${uid}`;
    expect(await annotations()).toMatchObject({
      'results.tekton.dev/result': result,
      'results.tekton.dev/record': `${result}/records/${uid}`,
      'results.tekton.dev/log': expect.stringMatching(`^${result}/logs/`),
      'results.tekton.dev/eventlist': expect.stringMatching(`^${result}/records/`),
    });
    await archive.client.delete(TaskRun, { namespace, name: 'build' });
    await expect.poll(async () => (await archive.client.list(TaskRun)).items, { timeout }).toEqual([]);
    const filter = encodeURIComponent('data_type == TASK_RUN && data.metadata.labels["app"] == "shop"');
    const { code, body } = await archive.rest(token, 'GET', `default/results/-/records?filter=${filter}`);
    expect(code).toBe(200);
    const { records = [] } = body as Listed;
    expect(records.map(({ name }) => name)).toEqual([`${result}/records/${uid}`]);
    expect(dataOf(records[0] as never)).toMatchObject({
      metadata: { name: 'build', annotations: { [stored]: 'true' } },
      status: succeeded,
    });
    const { body: one } = await archive.rest(token, 'GET', result);
    expect(one).toMatchObject({
      name: result,
      annotations: { 'object.metadata.name': 'build' },
      summary: {
        record: `${result}/records/${uid}`,
        type: 'tekton.dev/v1.TaskRun',
        status: 'SUCCESS',
        end_time: '2026-01-02T03:05:05Z',
      },
    });
  });

  it('is found over gRPC, also after a restart', async () => {
    await using archive = await startArchive();
    const token = await archive.tokenOf('reader', 'readonly');
    const { metadata } = await createRun(archive.client, PipelineRun, 'release');
    const get = () =>
      archive.grpc(token, 'tekton.results.v1alpha2.Results/GetResult', { input: nameRequestType, output: resultType }, [
        { name: `default/results/${metadata.uid}` },
      ]);
    await expect.poll(async () => (await get()).status, { timeout }).toBe(0);
    await archive.restart();
    const { answers } = await get();
    expect(answers).toMatchObject([{ summary: { type: 'tekton.dev/v1.PipelineRun', status: 1 } }]);
  });

  it('of a PipelineRun is in the Result of the PipelineRun', async () => {
    await using archive = await startArchive();
    const token = await archive.tokenOf('reader', 'readonly');
    const { uid = '' } = (await createRun(archive.client, PipelineRun, 'release')).metadata;
    const owner = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', name: 'release', uid, controller: true };
    await createRun(archive.client, TaskRun, 'release-build', { ownerReferences: [owner] });
    await createRun(archive.client, CustomRun, 'release-approve', { ownerReferences: [owner] });
    const shape = { input: listRequestType, output: listRecordsResponseType };
    const list = async (): Promise<ListRecordsResponse> => {
      const request = { parent: `default/results/${uid}`, filter: 'data_type != "results.tekton.dev/v1.EventList"' };
      return (
        (await archive.grpc(token, 'tekton.results.v1alpha2.Results/ListRecords', shape, [request])).answers[0] ?? {}
      );
    };
    const types = async () => (await list()).records?.map(({ data }) => data?.type).sort();
    await expect
      .poll(types, { timeout })
      .toEqual([
        'results.tekton.dev/v1alpha3.Log',
        'results.tekton.dev/v1alpha3.Log',
        'tekton.dev/v1.PipelineRun',
        'tekton.dev/v1.TaskRun',
        'tekton.dev/v1beta1.CustomRun',
      ]);
  });

  it('is deleted after the grace period, when it is archived', async () => {
    await using archive = await startArchive({ completed_run_grace_period: '10ms' });
    const { uid } = (await createRun(archive.client, TaskRun, 'build')).metadata;
    await expect.poll(async () => (await archive.client.list(TaskRun)).items.length, { timeout }).toBe(0);
    const token = await archive.tokenOf('reader', 'readonly');
    expect((await archive.rest(token, 'GET', `default/results/${uid}/records/${uid}`)).code).toBe(200);
  });
});

describe('a reader', () => {
  it('sees what the roles of a namespace allow, and nothing of another', async () => {
    await using archive = await startArchive();
    const { uid } = (await createRun(archive.client, TaskRun, 'build')).metadata;
    const token = await archive.tokenOf('reader', 'readonly');
    const path = `default/results/${uid}/records/${uid}`;
    await expect.poll(async () => (await archive.rest(token, 'GET', path)).code, { timeout }).toBe(200);
    const denied = { code: 401, body: { code: 16, message: 'permission denied' } };
    expect(await archive.rest('forged', 'GET', path)).toEqual(denied);
    expect(await archive.rest(token, 'DELETE', path)).toEqual(denied);
    expect(await archive.rest(token, 'GET', '-/results/-/records')).toEqual(denied);
    expect(await archive.rest(token, 'GET', 'kube-system/results/-/records')).toEqual(denied);
    const all = await archive.tokenOf('auditor', 'readonly', null);
    expect((await archive.rest(all, 'GET', '-/results/-/records')).code).toBe(200);
  });

  it('acts as another user only with the right to impersonate', async () => {
    await using archive = await startArchive();
    const token = await archive.tokenOf('reader', 'readonly');
    await archive.tokenOf('auditor', 'readonly', null);
    const shape = { input: listRequestType, output: listRecordsResponseType };
    const list = (headers: Readonly<Record<string, string>>) =>
      archive.grpc(token, 'tekton.results.v1alpha2.Results/ListRecords', shape, [{ parent: '-/results/-' }], headers);
    const auditor = { 'impersonate-user': 'system:serviceaccount:default:auditor' };
    expect(await list(auditor)).toMatchObject({
      status: 16,
      message: expect.stringContaining("doesn't have permission to impersonate 'serviceaccounts'"),
    });
    expect(await list({ 'impersonate-group': 'system:masters' })).toMatchObject({
      status: 16,
      message: 'invalid impersonation data',
    });
    const rules = [
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'], resourceNames: ['auditor'] },
    ];
    await archive.client.create(kinds.Role, { metadata: { namespace, name: 'impersonate' }, rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'impersonate' };
    const subjects = [{ kind: 'ServiceAccount', namespace, name: 'reader' }];
    await archive.client.create(kinds.RoleBinding, { metadata: { namespace, name: 'impersonate' }, roleRef, subjects });
    // Answers about rights are kept for some seconds.
    await expect.poll(async () => (await list(auditor)).status, { timeout }).toBe(0);
  });

  it('cannot be led into another namespace by an annotation of a run', async () => {
    await using archive = await startArchive();
    const annotations = { 'results.tekton.dev/result': 'kube-system/results/mine' };
    const { uid } = (await createRun(archive.client, TaskRun, 'build', { annotations })).metadata;
    const token = await archive.tokenOf('auditor', 'readonly', null);
    const path = `default/results/${uid}/records/${uid}`;
    await expect.poll(async () => (await archive.rest(token, 'GET', path)).code, { timeout }).toBe(200);
    expect(await archive.rest(token, 'GET', 'kube-system/results')).toEqual({ code: 200, body: {} });
  });
});

describe('a crash', () => {
  /** Runs the system until it has written `writes` times, and then once more whose answer never comes; then runs it again. */
  async function crashAt(writes: number, isAfter: boolean) {
    using folder = temporaryFolder();
    await using plane = { ...(await startControlPlane()), [Symbol.asyncDispose]: () => closed() };
    const closed = () => plane.close();
    const { client } = plane;
    await installRuns(client);
    let left = writes;
    let hasCrashed = () => {};
    const crashed = new Promise<void>((resolve) => (hasCrashed = resolve));
    const dying = client.intercepted({
      async request(request, next) {
        if (request.method === 'GET' || left-- > 0) return next.request(request);
        if (left === -1 && isAfter) await next.request(request);
        hasCrashed();
        return new Promise(() => undefined);
      },
    });
    const system = resultsSystem({ folder: folder.path, listen: false });
    await startSystems([system], { client }).then((running) => running[Symbol.asyncDispose]());
    const first = await startSystems([system], { client: dying, install: false, graceMs: 0 });
    await createRun(client, TaskRun, 'build');
    const annotations = async () =>
      (await client.get(TaskRun, { namespace, name: 'build' })).metadata.annotations?.[stored];
    const isDone = (async () => {
      while ((await annotations()) !== 'true') await new Promise((resolve) => setTimeout(resolve, 10));
    })();
    await Promise.race([crashed, isDone]);
    await first[Symbol.asyncDispose]();
    const second = await startSystems([system], { client, install: false });
    await expect.poll(annotations, { timeout }).toBe('true');
    await second[Symbol.asyncDispose]();
    await using storage = await EmbeddedStorage.open(folder.path);
    const { rows } = await storage.listRecords({ order: { column: 'id', descending: false }, limit: 50 });
    expect(rows.map(({ type }) => type).sort()).toEqual([
      'results.tekton.dev/v1.EventList',
      'results.tekton.dev/v1alpha3.Log',
      'tekton.dev/v1.TaskRun',
    ]);
    // Written once: what came after the crash found it as it was.
    for (const { created, updated } of rows) expect(updated).toBe(created);
    return left >= 0;
  }

  it.each([false, true])(
    'at any write, archives the run once (after it took effect: %s)',
    async (isAfter) => {
      let writes = 0;
      while (!(await crashAt(writes, isAfter))) writes++;
      // The finalizer and the annotations, at least.
      expect(writes).toBeGreaterThan(1);
    },
    60_000,
  );
});
