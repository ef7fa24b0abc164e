/** The pure parts of runs, for programs that show them: types, the order of a Pipeline, resumed runs. Loads in a browser. */
export type * from './kinds/param.ts';
export type { TaskRun } from './kinds/task-run.ts';
export type * from './kinds/task-run-spec.ts';
export type * from './kinds/task-spec.ts';
export type * from './kinds/pipeline-spec.ts';
export type { PipelineRun } from './kinds/pipeline-run.ts';
export type * from './kinds/pipeline-run-spec.ts';
export type * from './kinds/custom-run.ts';
export type * from './kinds/run-status.ts';
export type * from './kinds/workspace.ts';
export { buildGraph, type Graph, isGraphError } from './pipeline/graph.ts';
export { type ResumedRun, resumeRun } from './controllers/pipeline-run/decide/resume-run.ts';
