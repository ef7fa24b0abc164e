import { disallowedField, type FieldErrors, invalidValue } from '@tektite/controller/field-errors';
import { formatGoDuration, parseGoDuration } from '@tektite/go';
import type { PipelineTimeouts } from '../../kinds/pipeline-run-spec.ts';
import { allErrors } from './all-errors.ts';
import type { Rules } from '../rules.ts';

const nanosecondsPerMinute = 60_000_000_000n;
const durationOf = (text: string | undefined) => (text === undefined ? undefined : parseGoDuration(text));

interface TimeoutFields {
  readonly timeout?: string;
  readonly timeouts?: PipelineTimeouts;
}

/** How long a run may take, in all and in its parts: no part is longer than the whole. */
export function validateTimeouts({ timeout, timeouts }: TimeoutFields, { defaults }: Rules): FieldErrors {
  const old = validateAtLeastZero(timeout, 'timeout');
  if (!timeouts) return allErrors([old]);
  const pipeline = durationOf(timeouts.pipeline);
  const errors = [
    old,
    timeout === undefined ? undefined : disallowedField('timeout', 'timeouts'),
    validateAtLeastZero(timeouts.tasks, 'timeouts.tasks'),
    validateAtLeastZero(timeouts.finally, 'timeouts.finally'),
    validateAtLeastZero(timeouts.pipeline, 'timeouts.pipeline'),
  ];
  // Upstream takes the minutes for nanoseconds here; defaults see to it that this is seldom reached.
  const [limit, words] =
    pipeline === undefined
      ? [BigInt(defaults.timeoutMinutes), 'should be <= default timeout duration']
      : [pipeline, 'should be <= pipeline duration'];
  return allErrors([...errors, validateParts(timeouts, limit, words)]);
}

function validateAtLeastZero(text: string | undefined, path: string): FieldErrors | undefined {
  const duration = durationOf(text);
  return duration !== undefined && duration < 0n ? invalidValue(`${text} should be >= 0`, path) : undefined;
}

/** Zero is no limit, which is longer than any. */
function validateParts(timeouts: PipelineTimeouts, limit: bigint, words: string): FieldErrors {
  const [tasks, final] = [durationOf(timeouts.tasks), durationOf(timeouts.finally)];
  const part = (duration: bigint | undefined, path: string) => {
    if (duration === undefined || limit === 0n || (duration <= limit && duration !== 0n)) return undefined;
    const printed = formatGoDuration(duration) + (duration === 0n ? ' (no timeout)' : '');
    return invalidValue(`${printed} ${words}`, path);
  };
  // Upstream's sum of two very long times is negative.
  const isTooLong = tasks !== undefined && final !== undefined && BigInt.asIntN(64, tasks + final) > limit;
  const sum = `${formatGoDuration(tasks ?? 0n)} + ${formatGoDuration(final ?? 0n)} ${words}`;
  return allErrors([
    part(tasks, 'timeouts.tasks'),
    part(final, 'timeouts.finally'),
    isTooLong ? invalidValue(sum, 'timeouts.tasks') : undefined,
    isTooLong ? invalidValue(sum, 'timeouts.finally') : undefined,
  ]);
}

/** The time of one task's runs is part of that of all tasks, or of the run. */
export function validateTaskRunSpecTimeout(
  timeout: string | undefined,
  timeouts: PipelineTimeouts | undefined,
  { defaults }: Rules,
): FieldErrors | undefined {
  const duration = durationOf(timeout);
  if (duration === undefined) return undefined;
  if (duration < 0n) return invalidValue(`${timeout} should be >= 0`, 'timeout');
  const [text, source] = timeouts?.tasks
    ? [timeouts.tasks, 'pipeline tasks duration']
    : timeouts?.pipeline
      ? [timeouts.pipeline, 'pipeline duration']
      : [undefined, 'default pipeline duration'];
  const limit = durationOf(text) ?? BigInt(defaults.timeoutMinutes) * nanosecondsPerMinute;
  if (text !== undefined && limit < 0n) return invalidValue(`${text} should be >= 0`, 'timeout');
  if (limit === 0n || duration <= limit) return undefined;
  return invalidValue(`${formatGoDuration(duration)} should be <= ${source} ${formatGoDuration(limit)}`, 'timeout');
}
