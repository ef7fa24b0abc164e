import { startSystems } from '@tektite/controller';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { ResolutionRequest, type ResolutionRequestObject } from '../../kinds/resolution-request.ts';
import { pipelinesSystem } from '../../system.ts';
import { decideRequest } from './decide.ts';

const minute = 60_000_000_000n;
const created = Date.parse('2026-01-01T00:00:00Z');
const request = (status?: object): ResolutionRequestObject =>
  ({
    apiVersion: 'resolution.tekton.dev/v1beta1',
    kind: 'ResolutionRequest',
    metadata: { name: 'r', namespace: 'n', creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 },
    spec: {},
    ...(status ? { status } : {}),
  }) as ResolutionRequestObject;

describe('a request', () => {
  it('waits for an answer as long as the settings say', () => {
    const { status, waitMs } = decideRequest(request(), created + 1000, minute);
    expect(status).toEqual({
      conditions: [
        {
          type: 'Succeeded',
          status: 'Unknown',
          reason: 'ResolutionInProgress',
          message: 'waiting for resolver',
          lastTransitionTime: '2026-01-01T00:00:01Z',
        },
      ],
      observedGeneration: 1,
    });
    expect(waitMs).toBe(59_001);
  });

  it('fails when the timeout expires', () => {
    const { status, waitMs } = decideRequest(request(), created + 60_001, minute);
    expect(waitMs).toBeUndefined();
    expect(status.conditions).toMatchObject([
      {
        status: 'False',
        reason: 'ResolutionTimedOut',
        message: 'resolution took longer than global timeout of 1m0s',
      },
    ]);
  });

  it('has succeeded when there is an answer, however late', () => {
    const { status } = decideRequest(request({ data: 'eA==' }), created + 600_000, minute);
    expect(status).toMatchObject({ data: 'eA==', conditions: [{ type: 'Succeeded', status: 'True' }] });
  });
});

it('a request without a resolver times out', async () => {
  const clock = virtualClock();
  const plane = await startControlPlane({ clock });
  const images = { entrypoint: 'e', nop: 'n', sidecarLogResults: 'r', workingDirInit: 'w', shell: 's' };
  const service = { namespace: 'tekton-pipelines', name: 'tekton-pipelines-webhook' };
  const webhooks = { host: plane.server.localWebhooks, service };
  const options = { client: plane.client, name: 'pipelines', graceMs: 0, webhooks };
  const systems = await clock.until(startSystems([pipelinesSystem({ images })], options));
  const metadata = { namespace: 'default', name: 'r', labels: { 'resolution.tekton.dev/type': 'mine' } };
  await clock.until(plane.client.create(ResolutionRequest, { metadata, spec: {} }));
  await clock.advance(1000);
  const condition = async () => (await plane.client.get(ResolutionRequest, metadata)).status?.conditions?.[0];
  expect(await condition()).toMatchObject({ status: 'Unknown', reason: 'ResolutionInProgress' });
  await clock.advance(61_000);
  expect(await condition()).toMatchObject({ status: 'False', reason: 'ResolutionTimedOut' });
  await clock.until(systems.stop());
  await plane.close();
});
