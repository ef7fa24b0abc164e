import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { failoverCases } from './failover.cases.ts';

describe('leaders in separate processes, over HTTPS', { timeout: 60_000 }, () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(() => plane.close());
  failoverCases(() => plane);
});
