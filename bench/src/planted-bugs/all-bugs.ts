import { batchBugs } from './bugs/batch.ts';
import { operatorBugs } from './bugs/operators.ts';
import { pipelineBugs } from './bugs/pipelines.ts';
import { runtimeBugs } from './bugs/runtime.ts';
import { workloadBugs } from './bugs/workloads.ts';
import type { PlantedBug } from './planted-bug.ts';

/** Every planted bug, by the controllers that it is in. */
export const allBugs: readonly PlantedBug[] = [
  ...workloadBugs,
  ...batchBugs,
  ...pipelineBugs,
  ...runtimeBugs,
  ...operatorBugs,
];
