import { type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { cacheCases } from './cache.cases.ts';

describe('a cache of the real kube-apiserver', () => {
  let plane: RealControlPlane;
  beforeAll(async () => {
    plane = await startRealControlPlane();
  });
  afterAll(() => plane?.close());
  cacheCases(() => plane);
});
