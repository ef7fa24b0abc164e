import { type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { electionCases } from './election.cases.ts';
import { failoverCases } from './failover.cases.ts';

describe('an election on a real kube-apiserver', () => {
  let plane: RealControlPlane;
  beforeAll(async () => {
    plane = await startRealControlPlane();
  });
  afterAll(() => plane?.close());
  electionCases(() => plane);
  failoverCases(() => plane);
});
