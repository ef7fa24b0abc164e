import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { cacheCases } from './cache.cases.ts';

describe('a cache of the embedded server', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(() => plane.close());
  cacheCases(() => plane);
});
