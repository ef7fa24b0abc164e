import { duplicate, equalJson, type FieldError, FieldPath, invalid, required } from '@tektite/meta';
import type { Job } from '@tektite/schema/kubernetes';
import { checkNonNegative, invalidUnshown } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { overlapOf, parseIndexes } from './index-intervals.ts';

const path = FieldPath.of('status');
const conditionsPath = path.child('conditions');

export const hasCondition = ({ status }: Job, type: string, value = 'True'): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === value) ?? false;

const isFinished = (job: Job): boolean => hasCondition(job, 'Complete') || hasCondition(job, 'Failed');

/** Validates the status of a Job; most rules hold only for changed fields. */
export function validateJobStatusUpdate(job: Job, old: Job): FieldError[] {
  const errors: FieldError[] = [];
  validateCounts(job, errors);
  validateConditions(job, old, errors);
  validateTimes(job, old, errors);
  validatePods(job, old, errors);
  validateIndexes(job, old, errors);
  validateChange(job, old, errors);
  return errors;
}

function validateCounts({ status = {} }: Job, errors: FieldError[]): void {
  for (const field of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const)
    checkNonNegative(status[field], path.child(field), errors);
  const seen = new Set<string>();
  for (const list of ['succeeded', 'failed'] as const)
    for (const [i, uid] of (status.uncountedTerminatedPods?.[list] ?? []).entries()) {
      const at = path.child('uncountedTerminatedPods', list).index(i);
      if (uid === '') errors.push(invalid(at, uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(duplicate(at, uid));
      seen.add(uid);
    }
}

function validateConditions(job: Job, old: Job, errors: FieldError[]): void {
  const has = (type: string) => hasCondition(job, type);
  const changed = (...types: string[]) => types.some((type) => has(type) !== hasCondition(old, type));
  const report = (detail: string) => errors.push(invalidUnshown(conditionsPath, detail));
  if (changed('Complete', 'Failed') && has('Complete') && has('Failed'))
    report('cannot set Complete=True and Failed=true conditions');
  if (changed('Complete', 'FailureTarget') && has('Complete') && has('FailureTarget'))
    report('cannot set Complete=True and FailureTarget=true conditions');
  const failedIndexesChanged = job.status?.failedIndexes !== old.status?.failedIndexes;
  if ((changed('Failed') || failedIndexesChanged) && has('Failed') && !has('FailureTarget'))
    report('cannot set Failed=True condition without the FailureTarget=true condition');
  if (changed('Complete', 'SuccessCriteriaMet') && has('Complete') && !has('SuccessCriteriaMet'))
    report('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  if (has('SuccessCriteriaMet') && has('Failed'))
    report('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (has('SuccessCriteriaMet') && has('FailureTarget'))
    report('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (job.spec?.successPolicy && !has('SuccessCriteriaMet') && has('Complete'))
    report('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
}

function validateTimes(job: Job, old: Job, errors: FieldError[]): void {
  const { startTime, completionTime } = job.status ?? {};
  const complete = hasCondition(job, 'Complete');
  const completionChanged = completionTime !== old.status?.completionTime;
  const startChanged = startTime !== old.status?.startTime;
  const at = path.child('completionTime');
  if (complete !== hasCondition(old, 'Complete') || completionChanged) {
    if (completionTime !== undefined && !complete)
      errors.push(invalid(at, completionTime, 'cannot set completionTime when there is no Complete=True condition'));
    if (completionTime === undefined && complete)
      errors.push(required(at, 'completionTime is required for Complete jobs'));
  }
  const bothKnown = startTime !== undefined && completionTime !== undefined;
  if ((startChanged || completionChanged) && bothKnown && Date.parse(completionTime) < Date.parse(startTime))
    errors.push(invalid(at, completionTime, 'must be equal to or after `startTime`'));
  const finishedChanged = isFinished(job) !== isFinished(old);
  const trivial = job.spec?.suspend === true && job.spec.completions === 0;
  if ((finishedChanged || startChanged) && !trivial && startTime === undefined && isFinished(job))
    errors.push(required(path.child('startTime'), 'startTime is required for finished job'));
}

function validatePods(job: Job, old: Job, errors: FieldError[]): void {
  const { active = 0, ready, terminating, uncountedTerminatedPods: uncounted } = job.status ?? {};
  const before = old.status ?? {};
  const finished = isFinished(job);
  const finishedChanged = finished !== isFinished(old);
  const activeChanged = active !== (before.active ?? 0);
  if ((finishedChanged || activeChanged) && active > 0 && finished)
    errors.push(invalid(path.child('active'), active, 'active>0 is invalid for finished job'));
  const uncountedChanged = !equalJson(uncounted, before.uncountedTerminatedPods);
  const uncountedPods = (uncounted?.failed?.length ?? 0) + (uncounted?.succeeded?.length ?? 0);
  if ((finishedChanged || uncountedChanged) && finished && uncountedPods > 0)
    errors.push(
      invalid(
        path.child('uncountedTerminatedPods'),
        goValue('UncountedTerminatedPods', uncounted),
        'must be empty for finished job',
      ),
    );
  if ((finishedChanged || terminating !== before.terminating) && (terminating ?? 0) > 0 && finished)
    errors.push(invalid(path.child('terminating'), terminating, 'terminating>0 is invalid for finished job'));
  if ((activeChanged || ready !== before.ready) && ready !== undefined && ready > active)
    errors.push(invalid(path.child('ready'), ready, 'cannot set more ready pods than active'));
}

function validateIndexes(job: Job, old: Job, errors: FieldError[]): void {
  const { completedIndexes = '', failedIndexes } = job.status ?? {};
  const { completions, backoffLimitPerIndex, completionMode } = job.spec ?? {};
  const completedChanged = completedIndexes !== (old.status?.completedIndexes ?? '');
  const failedChanged = failedIndexes !== old.status?.failedIndexes;
  const completedPath = path.child('completedIndexes');
  const failedPath = path.child('failedIndexes');
  if (completedChanged && completions !== undefined) {
    const { problem } = parseIndexes(completedIndexes, completions);
    if (problem !== undefined)
      errors.push(invalid(completedPath, completedIndexes, `error parsing completedIndexes: ${problem}`));
  }
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failedIndexes !== undefined) {
    const { problem } = parseIndexes(failedIndexes, completions);
    if (problem !== undefined)
      errors.push(invalid(failedPath, failedIndexes, `error parsing failedIndexes: ${problem}`));
  }
  if (completedChanged && completedIndexes !== '' && completionMode !== 'Indexed') {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(invalid(completedPath, completedIndexes, detail));
  }
  if (failedChanged && backoffLimitPerIndex === undefined && failedIndexes !== undefined)
    errors.push(
      invalid(failedPath, failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'),
    );
  if ((completedChanged || failedChanged) && completions !== undefined && failedIndexes !== undefined) {
    const index = overlapOf(completedIndexes, failedIndexes, completions);
    if (index !== undefined)
      errors.push(invalid(failedPath, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${index}`));
  }
}

function validateChange(job: Job, old: Job, errors: FieldError[]): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget'])
    if (hasCondition(old, type) && !hasCondition(job, type))
      errors.push(invalidUnshown(conditionsPath, `cannot disable the terminal ${type}=True condition`));
  const { failed = 0, succeeded = 0, startTime, completionTime } = job.status ?? {};
  const before = old.status ?? {};
  if (failed < (before.failed ?? 0))
    errors.push(invalid(path.child('failed'), failed, 'cannot decrease the failed counter'));
  const { completionMode, completions, parallelism, suspend } = job.spec ?? {};
  const elastic = completionMode === 'Indexed' && completions === parallelism;
  if (!elastic && succeeded < (before.succeeded ?? 0))
    errors.push(invalid(path.child('succeeded'), succeeded, 'cannot decrease the succeeded counter'));
  const rewritten = completionTime !== undefined && before.completionTime !== undefined;
  if (rewritten && completionTime !== before.completionTime)
    errors.push(invalid(path.child('completionTime'), completionTime, 'field is immutable'));
  const resuming = hasCondition(old, 'Suspended') && hasCondition(job, 'Suspended', 'False');
  if (before.startTime !== undefined && startTime !== before.startTime && !resuming && !suspend) {
    const detail = 'field is immutable for unsuspended job once set';
    errors.push(invalid(path.child('startTime'), startTime ?? null, detail));
  }
  if (hasCondition(old, 'SuccessCriteriaMet') && !hasCondition(job, 'SuccessCriteriaMet'))
    errors.push(invalidUnshown(conditionsPath, 'cannot disable the SuccessCriteriaMet=True condition'));
  if (
    hasCondition(old, 'Complete') &&
    !hasCondition(old, 'SuccessCriteriaMet') &&
    hasCondition(job, 'SuccessCriteriaMet')
  ) {
    const detail = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
    errors.push(invalidUnshown(conditionsPath, detail));
  }
}
