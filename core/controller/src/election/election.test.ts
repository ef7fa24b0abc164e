import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { electionCases } from './election.cases.ts';

describe('an election on the embedded server', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(() => plane.close());
  electionCases(() => plane);
});
