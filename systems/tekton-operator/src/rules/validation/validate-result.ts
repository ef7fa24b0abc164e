import { type FieldErrors, invalidValue, noFieldErrors } from '@tektite/controller/field-errors';
import { formatGoDuration, parseGoDuration } from '@tektite/go';
import { parseLabelSelector } from '@tektite/meta';
import type { ResultSettings, WatcherSettings } from '../../kinds/result-fields.ts';
import { validatePerformance } from './validate-shared.ts';

/** Validates the settings of Results. */
export function validateResult(settings: ResultSettings): FieldErrors {
  return validateLoki(settings).also(
    validatePerformance(settings.performance, 'spec.performance'),
    validateWatcher(settings.watcher, 'spec.watcher'),
  );
}

function validateLoki({
  loki_stack_name: stack,
  loki_stack_namespace: namespace,
  logs_type: type = '',
}: ResultSettings) {
  let errors = noFieldErrors;
  if (!stack) return errors;
  if (type !== '' && type.toLowerCase() !== 'loki') {
    const words = `Loki stack is only supported when logs_type is loki or empty, got logs_type: ${type}`;
    errors = errors.also(invalidValue(type, 'spec.logs_type', words));
  }
  if (!namespace) {
    const words = 'Loki stack namespace is required when loki_stack_name is provided';
    errors = errors.also(invalidValue('', 'spec.loki_stack_namespace', words));
  }
  return errors;
}

const durations = [
  'store_deadline',
  'requeue_interval',
  'forward_buffer',
  'update_log_timeout',
  'dynamic_reconcile_timeout',
] as const;

export function validateWatcher(watcher: WatcherSettings | undefined, path: string): FieldErrors {
  let errors = noFieldErrors;
  const { label_selector: selector } = watcher ?? {};
  if (selector) {
    const violation = messageOf(() => parseLabelSelector(selector));
    if (violation !== undefined) errors = errors.also(invalidValue(selector, `${path}.label_selector`, violation));
  }
  for (const key of durations) {
    const text = watcher?.[key];
    if (text === undefined) continue;
    const violation = messageOf(() => parseGoDuration(text));
    if (violation !== undefined) errors = errors.also(invalidValue(text, `${path}.${key}`, violation));
    else if (text.startsWith('-'))
      errors = errors.also(invalidValue(formatGoDuration(parseGoDuration(text)), `${path}.${key}`));
  }
  return errors;
}

function messageOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
