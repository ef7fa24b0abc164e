import type { ObjectOf } from '@tektite/schema';
import type { TaskRun as TaskRunKind } from './kinds.ts';

/** One execution of a Task. */
export interface TaskRun extends ObjectOf<typeof TaskRunKind> {}
