import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { pipelineRunCases } from './pipeline-run.cases.ts';

describe('a PipelineRun on the embedded server', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(() => plane?.close());
  pipelineRunCases(() => plane);
});
