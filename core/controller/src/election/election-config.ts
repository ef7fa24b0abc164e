import { isDurationError, parseGoDuration } from '@tektite/go';
import { ControllerError } from '../controller-error.ts';
import { checkTiming, type ElectionTiming } from './election-timing.ts';

/** The settings of the ConfigMap `config-leader-election`. */
export interface ElectionConfig extends ElectionTiming {
  readonly buckets: number;
  /** Other beginnings for the names of Leases, by `component.queue`. */
  readonly prefixes: Readonly<Record<string, string>>;
}

const maxBuckets = 10;
const prefixKey = 'map-lease-prefix.';

/** Without a word from the ConfigMap. */
export const defaultElectionConfig: ElectionConfig = {
  buckets: 1,
  leaseDurationMs: 60_000,
  renewDeadlineMs: 40_000,
  retryPeriodMs: 10_000,
  prefixes: {},
};

/**
 * Reads `config-leader-election` as knative.dev/pkg does: `lease-duration`, `renew-deadline`, `retry-period` (or their older
 * spellings), `buckets` from 1 to 10, and `map-lease-prefix.<component>.<queue>`. Throws `ELECTION_INVALID`.
 */
export function readElectionConfig(data: Readonly<Record<string, string>> = {}): ElectionConfig {
  const duration = (key: string, older: string, otherwise: number) => {
    const text = data[key] ?? data[older];
    return text === undefined ? otherwise : milliseconds(data[key] === undefined ? older : key, text);
  };
  const config = {
    buckets: bucketsOf(data['buckets']),
    leaseDurationMs: duration('lease-duration', 'leaseDuration', defaultElectionConfig.leaseDurationMs),
    renewDeadlineMs: duration('renew-deadline', 'renewDeadline', defaultElectionConfig.renewDeadlineMs),
    retryPeriodMs: duration('retry-period', 'retryPeriod', defaultElectionConfig.retryPeriodMs),
    prefixes: Object.fromEntries(
      Object.entries(data)
        .filter(([key]) => key.startsWith(prefixKey))
        .map(([key, value]) => [key.slice(prefixKey.length), value]),
    ),
  };
  checkTiming(config);
  return config;
}

function bucketsOf(text: string | undefined): number {
  if (text === undefined) return defaultElectionConfig.buckets;
  if (!/^[0-9]{1,9}$/.test(text.trim()))
    throw new ControllerError('ELECTION_INVALID', `failed to parse "buckets": "${text}" is no number`);
  const buckets = Number(text);
  if (buckets < 1 || buckets > maxBuckets)
    throw new ControllerError('ELECTION_INVALID', `buckets: value must be between 1 <= ${buckets} <= ${maxBuckets}`);
  return buckets;
}

function milliseconds(key: string, text: string): number {
  try {
    return Number(parseGoDuration(text)) / 1e6;
  } catch (error) {
    if (!isDurationError(error)) throw error;
    throw new ControllerError('ELECTION_INVALID', `failed to parse "${key}": ${error.message}`, { cause: error });
  }
}
