import type { ObjectOf } from '@tektite/schema';
import type { PipelineRun as PipelineRunKind } from './kinds.ts';

/** One execution of a Pipeline. */
export interface PipelineRun extends ObjectOf<typeof PipelineRunKind> {}
