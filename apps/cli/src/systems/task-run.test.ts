import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { taskRunCases } from './task-run.cases.ts';

describe('on the embedded API server', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(() => plane.close());

  taskRunCases({ connect: async () => plane.client });
});
