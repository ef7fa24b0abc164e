import { type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { eventCases } from '../events/event-recorder.cases.ts';
import { controllerCases } from './controller.cases.ts';

describe('on a real kube-apiserver', () => {
  let cluster: RealControlPlane;
  beforeAll(async () => {
    cluster = await startRealControlPlane();
  });
  afterAll(() => cluster.close());

  controllerCases({ client: async () => cluster.client });
  eventCases({ isOld: true, start: async () => ({ client: cluster.client, close: async () => undefined }) });
});
