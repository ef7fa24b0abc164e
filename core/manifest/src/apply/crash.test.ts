import { Client, type Transport, type TransportRequest } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { configMap, definition, deployment, job, manifestOf, widget } from '../test-support.ts';
import { applyManifest } from './apply-manifest.ts';

const set = { name: 'app', namespace: 'default' };
const options = { set, recreate: ['Job'], concurrency: 1 };
const before = manifestOf(definition(), configMap('old'), configMap('both'), job('migrate', 'db:1'));
const after = manifestOf(
  definition(),
  widget('w'),
  configMap('both', { a: '2' }),
  configMap('new'),
  deployment('web'),
  job('migrate', 'db:2'),
);

class Crash extends Error {}

/** A connection on which the program dies at its nth request: before the server sees it, or before the program sees the answer. */
function dying(inner: Transport, at: number, when: 'before' | 'after'): { transport: Transport; count: () => number } {
  let count = 0;
  const request = async (sent: TransportRequest) => {
    const dies = ++count === at;
    if (count > at || (dies && when === 'before')) throw new Crash();
    const answer = await inner.request(sent);
    if (dies) throw new Crash();
    return answer;
  };
  return {
    transport: {
      ...inner,
      request,
      watch: (sent) => inner.watch(sent),
      stream: (sent) => inner.stream(sent),
      close: async () => {},
    },
    count: () => count,
  };
}

/** All that matters of the cluster, without what chance decides. */
async function stateOf({ client }: ControlPlane): Promise<unknown> {
  const state: unknown[] = [];
  for (const kind of ['ConfigMap', 'Deployment', 'Job', 'Widget']) {
    const apiVersion = { ConfigMap: 'v1', Deployment: 'apps/v1', Job: 'batch/v1', Widget: 'example.com/v1' }[
      kind
    ] as string;
    const { items } = await client.list({ apiVersion, kind }, { namespace: 'default' });
    for (const object of items as readonly DynamicObject[]) {
      const { name, labels, annotations, managedFields, uid = '' } = object.metadata;
      if (annotations?.['tektite.dev/revision-head']) {
        // The summary differs after a kill; the applied objects do not.
        const { revision, sha256 } = JSON.parse(annotations['tektite.dev/revision-head']) as Record<string, unknown>;
        state.push({ name, revision, sha256 });
        continue;
      }
      const owners = managedFields?.map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));
      const text = JSON.stringify({ kind, name, labels, annotations, owners, spec: object.spec, data: object.data });
      state.push(JSON.parse(text.replaceAll(uid, 'uid')));
    }
  }
  return state;
}

describe('an apply that is killed between any two requests, and run again', () => {
  it('ends as if it had not been killed', async () => {
    const expected = await (async () => {
      await using plane = await startControlPlane();
      await applyManifest(plane.client, before, options);
      await applyManifest(plane.client, after, options);
      return await stateOf(plane);
    })();
    let requests = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= requests; at++) {
      for (const when of ['before', 'after'] as const) {
        await using plane = await startControlPlane();
        await applyManifest(plane.client, before, options);
        const { transport, count } = dying(plane.transport(), at, when);
        const client = new Client(transport, { clock: plane.clock, random: plane.random });
        const crashed = await applyManifest(client, after, options).then(
          () => false,
          () => true,
        );
        if (!crashed) requests = Math.min(requests, count());
        await applyManifest(plane.client, after, options);
        expect(await stateOf(plane), `killed ${when} request ${at}`).toEqual(expected);
      }
    }
    expect(requests).toBeGreaterThan(20);
  }, 120_000);
});
