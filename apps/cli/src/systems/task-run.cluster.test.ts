import { type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { taskRunCases } from './task-run.cases.ts';

describe('on a real kube-apiserver', () => {
  let cluster: RealControlPlane;
  beforeAll(async () => {
    cluster = await startRealControlPlane();
  });
  afterAll(() => cluster.close());

  taskRunCases({ connect: async () => cluster.client, isOld: true });
});
