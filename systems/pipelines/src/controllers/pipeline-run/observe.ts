import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import type { PipelineRunObservation } from './decide/observation.ts';
import { ancestorsOf, knownChildren } from './observe/child-caches.ts';
import type { PipelineRunServices } from './observe/pipeline-run-services.ts';

/** Reads the caches. */
export function observe(run: PipelineRun, services: PipelineRunServices): PipelineRunObservation {
  const { flags, defaults, now } = services;
  return {
    run,
    children: knownChildren(run, services),
    ancestors: ancestorsOf(run, services),
    flags,
    defaults,
    now,
  };
}
