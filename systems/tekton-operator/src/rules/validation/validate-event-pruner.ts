import { type FieldErrors, genericError, noFieldErrors } from '@tektite/controller/field-errors';
import type { EventPrunerSettings, PrunerGlobalConfig, PrunerNamespaceRules } from '../../kinds/pruner-fields.ts';

const maxTtlSeconds = 2_592_000;
const maxLimit = 100;

/** Validates the event pruner, unless it is off. */
export function validateEventPruner(settings: EventPrunerSettings, path: string): FieldErrors {
  if (settings.disabled) return noFieldErrors;
  const violation = globalConfigError(settings['global-config']);
  if (violation === undefined) return noFieldErrors;
  return genericError(`pruner config validation failed: ${violation}`, `${path}.global-config`);
}

/** The first error, in the words of the pruner. */
export function globalConfigError(config: PrunerGlobalConfig | undefined): string | undefined {
  if (!config) return undefined;
  const violation = limitsError(config, 'global-config', undefined);
  if (violation !== undefined) return violation;
  for (const [name, rules] of Object.entries(config.namespaces ?? {})) {
    const path = `global-config.namespaces.${name}`;
    const found = limitsError(rules, path, config) ?? selectorError(rules, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Limits = Omit<PrunerNamespaceRules, 'pipelineRuns' | 'taskRuns'>;

function selectorError(rules: PrunerNamespaceRules, path: string): string | undefined {
  for (const list of ['pipelineRuns', 'taskRuns'] as const)
    for (const [index, rule] of (rules[list] ?? []).entries())
      if (rule.selector?.length)
        return `${path}.${list}[${index}]: selectors are NOT supported in global ConfigMap. Use namespace-level ConfigMap (tekton-pruner-namespace-spec) instead`;
  return undefined;
}

function limitsError(limits: Limits, path: string, above: Limits | undefined): string | undefined {
  const { enforcedConfigLevel: level } = limits;
  if (level !== undefined && !['global', 'namespace', 'resource'].includes(level))
    return `${path}: invalid enforcedConfigLevel '${level}', must be one of: global, namespace, resource`;
  return (
    ttlError(limits.ttlSecondsAfterFinished, path, above) ??
    historyError('successfulHistoryLimit', limits, path, above) ??
    historyError('failedHistoryLimit', limits, path, above) ??
    historyError('historyLimit', limits, path, above)
  );
}

function ttlError(ttl: number | undefined, path: string, above: Limits | undefined): string | undefined {
  if (ttl === undefined) return undefined;
  if (ttl < 0) return `${path}: ttlSecondsAfterFinished cannot be negative, got ${ttl}`;
  if (!above) return undefined;
  const { ttlSecondsAfterFinished: limit } = above;
  if (limit !== undefined)
    return ttl > limit ? `${path}: ttlSecondsAfterFinished (${ttl}) cannot exceed global limit (${limit})` : undefined;
  if (ttl <= maxTtlSeconds) return undefined;
  return `${path}: ttlSecondsAfterFinished (${ttl}) cannot exceed system maximum (${maxTtlSeconds} seconds / 30 days)`;
}

type HistoryField = 'successfulHistoryLimit' | 'failedHistoryLimit' | 'historyLimit';

function historyError(
  field: HistoryField,
  limits: Limits,
  path: string,
  above: Limits | undefined,
): string | undefined {
  const value = limits[field];
  if (value === undefined) return undefined;
  if (value < 0) return `${path}: ${field} cannot be negative, got ${value}`;
  if (!above) return undefined;
  const exceeds = (limit: number, words: string) =>
    value > limit ? `${path}: ${field} (${value}) cannot exceed ${words} (${limit})` : undefined;
  const own = above[field];
  if (own !== undefined) return exceeds(own, 'global limit');
  if (above.historyLimit !== undefined) return exceeds(above.historyLimit, 'global historyLimit');
  return exceeds(maxLimit, 'system maximum');
}
