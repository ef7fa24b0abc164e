import type { System } from '@tektite/controller';
import { customTaskController } from '@tektite/pipelines';
import { waited, waitTask } from './wait.ts';

const waitController = customTaskController({
  name: 'wait-task',
  ...waitTask,
  work: (run, { clock, startedAt }) => waited(run, clock.now() - startedAt),
});

/** The custom task, whose CustomRuns are Tekton's kind: `tektite up --systems pipelines,./examples/wait-task` runs it beside Tekton. */
export const system: System = { name: 'wait-task', kinds: [], controllers: [waitController] };
