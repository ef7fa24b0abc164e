import { type FieldErrors, genericError, noFieldErrors } from '@tektite/controller';
import type { EventPrunerSettings, PrunerGlobalConfig, PrunerNamespaceRules } from '../kinds/pruner-fields.ts';

const longest = 2_592_000;
const most = 100;

/** What is wrong with the event pruner. Nothing is while it is off. */
export function validateEventPruner(settings: EventPrunerSettings, path: string): FieldErrors {
  if (settings.disabled) return noFieldErrors;
  const mistake = globalConfigMistake(settings['global-config']);
  if (mistake === undefined) return noFieldErrors;
  return genericError(`pruner config validation failed: ${mistake}`, `${path}.global-config`);
}

/** The first mistake, in the words of the pruner. */
export function globalConfigMistake(config: PrunerGlobalConfig | undefined): string | undefined {
  if (!config) return undefined;
  const mistake = limitsMistake(config, 'global-config', undefined);
  if (mistake !== undefined) return mistake;
  for (const [name, rules] of Object.entries(config.namespaces ?? {})) {
    const path = `global-config.namespaces.${name}`;
    const found = limitsMistake(rules, path, config) ?? selectorMistake(rules, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Limits = Omit<PrunerNamespaceRules, 'pipelineRuns' | 'taskRuns'>;

function selectorMistake(rules: PrunerNamespaceRules, path: string): string | undefined {
  for (const list of ['pipelineRuns', 'taskRuns'] as const)
    for (const [index, rule] of (rules[list] ?? []).entries())
      if (rule.selector?.length)
        return `${path}.${list}[${index}]: selectors are NOT supported in global ConfigMap. Use namespace-level ConfigMap (tekton-pruner-namespace-spec) instead`;
  return undefined;
}

function limitsMistake(limits: Limits, path: string, above: Limits | undefined): string | undefined {
  const { enforcedConfigLevel: level } = limits;
  if (level !== undefined && !['global', 'namespace', 'resource'].includes(level))
    return `${path}: invalid enforcedConfigLevel '${level}', must be one of: global, namespace, resource`;
  return (
    ttlMistake(limits.ttlSecondsAfterFinished, path, above) ??
    historyMistake('successfulHistoryLimit', limits, path, above) ??
    historyMistake('failedHistoryLimit', limits, path, above) ??
    historyMistake('historyLimit', limits, path, above)
  );
}

function ttlMistake(ttl: number | undefined, path: string, above: Limits | undefined): string | undefined {
  if (ttl === undefined) return undefined;
  if (ttl < 0) return `${path}: ttlSecondsAfterFinished cannot be negative, got ${ttl}`;
  if (!above) return undefined;
  const { ttlSecondsAfterFinished: limit } = above;
  if (limit !== undefined)
    return ttl > limit ? `${path}: ttlSecondsAfterFinished (${ttl}) cannot exceed global limit (${limit})` : undefined;
  if (ttl <= longest) return undefined;
  return `${path}: ttlSecondsAfterFinished (${ttl}) cannot exceed system maximum (${longest} seconds / 30 days)`;
}

type HistoryField = 'successfulHistoryLimit' | 'failedHistoryLimit' | 'historyLimit';

function historyMistake(
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
  return exceeds(most, 'system maximum');
}
