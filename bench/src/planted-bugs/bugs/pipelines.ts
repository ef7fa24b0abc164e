import type { PlantedBug } from '../planted-bug.ts';

const taskRun = 'systems/pipelines/src/controllers/task-run';
const pipelineRun = 'systems/pipelines/src/controllers/pipeline-run';

/** Bugs of TaskRuns and PipelineRuns. */
export const pipelineBugs: readonly PlantedBug[] = [
  {
    title: 'a TaskRun fails when the controller died after it created the Pod',
    class: 'intermediate state',
    file: `${taskRun}/act/create-pod.ts`,
    find: "if (isStatusError(error, 'AlreadyExists')) return { pod: await adopt(taskRun, pod, context), isNew: false };",
    replace: '',
    scenario: 'task-runs',
  },
  {
    title: 'a TaskRun fails when the controller died after it created a volume claim',
    class: 'intermediate state',
    file: `${taskRun}/act/create-claims.ts`,
    find: "if (isStatusError(error, 'AlreadyExists')) continue;",
    replace: '',
    scenario: 'task-runs',
  },
  {
    title: 'a TaskRun that is cancelled is completed before its Pod is deleted',
    class: 'intermediate state',
    file: `${taskRun}/act.ts`,
    find: `if (plan.pod) await changePod(plan.pod, plan.taskRun, services);
  if (!plan.isStatusWriteRedundant) {
    const target = await writeMetadata(plan, services);
    if (!equalJson(plan.taskRun.status, plan.status)) await context.writeStatus(target, plan.status);
  }`,
    replace: `if (!plan.isStatusWriteRedundant) {
    const target = await writeMetadata(plan, services);
    if (!equalJson(plan.taskRun.status, plan.status)) await context.writeStatus(target, plan.status);
  }
  if (plan.pod) await changePod(plan.pod, plan.taskRun, services);`,
    scenario: 'task-run',
  },
  {
    title: 'a TaskRun starts anew with every reconcile, and never times out',
    class: 'hot loop',
    file: `${taskRun}/decide/lifecycle.ts`,
    find: 'if (current.startTime) return current;',
    replace: '',
    scenario: 'task-run-timeout',
  },
  {
    title: 'a TaskRun takes the Pod of an earlier attempt for its own',
    class: 'stale state',
    file: `${taskRun}/decide/terminate.ts`,
    find: "const next: TaskRunStatus = { ...rest, podName: '', retriesStatus: [...before, attempt] };",
    replace: 'const next: TaskRunStatus = { ...rest, retriesStatus: [...before, attempt] };',
    scenario: 'task-run',
  },
  {
    title: 'a TaskRun is tried again after it was cancelled',
    class: 'missed rollback',
    file: `${taskRun}/decide/terminate.ts`,
    find: "condition?.status !== 'False' || isCancelled(taskRun) || before",
    replace: "condition?.status !== 'False' || before",
    scenario: 'task-run',
  },
  {
    title: 'a TaskRun forgets its earlier attempts',
    class: 'lost update',
    file: `${taskRun}/decide/terminate.ts`,
    find: 'retriesStatus: [...before, attempt] };',
    replace: 'retriesStatus: [attempt] };',
    scenario: 'task-runs',
  },
  {
    title: 'a PipelineRun leaves a matrix half created when the controller died',
    class: 'intermediate state',
    file: `${pipelineRun}/decide/facts.ts`,
    find: 'return !stopwatch.isPipelineOver() && !(isFinal ? stopwatch.isFinallyOver() : stopwatch.areTasksOver());',
    replace: 'return false;',
    scenario: 'pipeline-run',
  },
  {
    title: 'a PipelineRun is cancelled though a child could not be',
    class: 'missed rollback',
    file: `${pipelineRun}/decide.ts`,
    find: 'if (errors.length > 0) return couldNotCancel(draft, errors, now);\n  const outcome',
    replace: 'const outcome',
    scenario: 'pipeline-run-cancel',
  },
  {
    title: 'a PipelineRun does not cancel its children',
    class: 'wrong deletion',
    file: `${pipelineRun}/controller.ts`,
    find: "return concluded(cancelled(draft, await terminateChildren(run, children, 'cancelled', services), now));",
    replace: 'return concluded(cancelled(draft, [], now));',
    scenario: 'pipeline-run-cancel',
  },
  {
    title: 'a PipelineRun does not wake up for its timeout',
    class: 'unobserved state',
    file: `${pipelineRun}/decide/timeouts.ts`,
    find: 'if (this.startTime === undefined) return undefined;\n    const whole',
    replace: 'return undefined;\n    const whole',
    scenario: 'pipeline-run-timeout',
  },
  {
    title: 'a PipelineRun starts a task though a parent is retried',
    class: 'stale state',
    file: `${pipelineRun}/decide/facts.ts`,
    find: 'return state.isFinal || this.parentsOf(state).every((parent) => this.isDone(parent));',
    replace:
      'return state.isFinal || this.parentsOf(state).every((parent) => parent.hasRuns() || this.isDone(parent));',
    scenario: 'pipeline-runs',
  },
  {
    title: 'a PipelineRun swallows errors of the API',
    class: 'missed rollback',
    file: `${pipelineRun}/controller.ts`,
    find: 'if (conclusion.transient !== undefined) throw conclusion.transient;',
    replace: '',
    scenario: 'pipeline-run',
  },
  {
    title: 'a PipelineRun does not observe the runs of its tasks',
    class: 'unobserved state',
    file: `${pipelineRun}/controller.ts`,
    find: 'sources: [children.taskRuns, children.customRuns, children.pipelineRuns, requests],',
    replace: '',
    scenario: 'pipeline-run',
  },
];
