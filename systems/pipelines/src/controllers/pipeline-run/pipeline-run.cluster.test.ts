import type { Kind } from '@tektite/schema';
import { type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { pipelineRunCases } from './pipeline-run.cases.ts';

/** Kubernetes 1.20 takes empty texts for null where they are defaults, and refuses them. Tekton itself wants 1.28 or later. */
function withoutEmptyDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyDefaults);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => key !== 'default' || item !== '')
      .map(([key, item]) => [key, withoutEmptyDefaults(item)]),
  );
}

describe('a PipelineRun on a real kube-apiserver', () => {
  let plane: RealControlPlane;
  beforeAll(async () => {
    plane = await startRealControlPlane();
  }, 90_000);
  afterAll(() => plane?.close());
  const adapt = (kind: Kind): Kind => ({ ...kind, schema: withoutEmptyDefaults(kind.schema) as Kind['schema'] });
  pipelineRunCases(() => plane, adapt);
});
