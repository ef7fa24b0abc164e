import type { ObjectOf } from '@tektite/schema';
import type { CustomRun as CustomRunKind } from './kinds.ts';

/** One execution of a custom task: another controller carries it out and reports the outcome in the status. */
export interface CustomRun extends ObjectOf<typeof CustomRunKind> {}
