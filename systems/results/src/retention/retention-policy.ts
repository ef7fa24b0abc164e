import { customConfig } from '@tektite/controller/config';
import { goDurationToMilliseconds, parseGoDuration } from '@tektite/go';
import { parseFirstYaml } from '@tektite/schema/yaml';
import type { ExpiryRule } from '../storage/storage.ts';

export interface RetentionPolicy {
  /** When Results are expired, in cron's form. */
  readonly runAt: string;
  /** The first that matches decides; the last matches everything. */
  readonly rules: readonly ExpiryRule[];
}

const dayMs = 86_400_000;
const defaultRunAt = '7 7 * * 7';
const defaultRetentionMs = 30 * dayMs;

interface Policy {
  readonly retention?: unknown;
  readonly selector?: {
    readonly matchNamespaces?: readonly string[];
    readonly matchLabels?: Readonly<Record<string, readonly string[]>>;
    readonly matchAnnotations?: Readonly<Record<string, readonly string[]>>;
    readonly matchStatuses?: readonly string[];
  };
}

/** Reads upstream's ConfigMap; texts of errors are upstream's where it has some. */
export function parseRetentionPolicy(data: Readonly<Record<string, string>>): RetentionPolicy {
  const key = data['maxRetention'] === undefined ? 'defaultRetention' : 'maxRetention';
  const text = data[key];
  const fallback = text === undefined ? defaultRetentionMs : duration(text, `incorrect configuration for ${key}`);
  return {
    runAt: data['runAt'] ?? defaultRunAt,
    rules: [...policies(data['policies']).map(ruleOf), rule(fallback)],
  };
}

/** The ConfigMap that the retention policy agent reads. */
export const retentionConfig = customConfig('tekton-results-config-results-retention-policy', parseRetentionPolicy);

function policies(text: string | undefined): readonly Policy[] {
  if (text === undefined || text.trim() === '') return [];
  const parsed = parseFirstYaml(text)?.value;
  if (!Array.isArray(parsed)) throw new Error('failed to unmarshal policies: it is not a list');
  return parsed as readonly Policy[];
}

function ruleOf({ retention, selector = {} }: Policy): ExpiryRule {
  return rule(duration(String(retention ?? ''), 'a policy has no valid retention'), selector);
}

function rule(retentionMs: number, selector: NonNullable<Policy['selector']> = {}): ExpiryRule {
  const { matchNamespaces = [], matchLabels = {}, matchAnnotations = {}, matchStatuses = [] } = selector;
  const texts = (values: readonly unknown[]) => values.map(String);
  const lists = (map: Readonly<Record<string, readonly unknown[]>>) =>
    Object.fromEntries(Object.entries(map).map(([key, values]) => [key, texts(values)]));
  return {
    namespaces: texts(matchNamespaces),
    labels: lists(matchLabels),
    annotations: lists(matchAnnotations),
    statuses: texts(matchStatuses),
    retentionMs,
  };
}

/** `24h`, or days: `30d`, `30`. */
function duration(text: string, what: string): number {
  const [, days] = /^(\d+)d?$/.exec(text) ?? [];
  if (days !== undefined) return Number(days) * dayMs;
  try {
    return goDurationToMilliseconds(parseGoDuration(text));
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
