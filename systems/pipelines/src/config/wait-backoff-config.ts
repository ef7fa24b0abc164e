import { ConfigError, type ConfigOf, customConfig } from '@tektite/controller/config';
import { goDurationToMilliseconds } from '@tektite/go';
import { quoteGo } from '@tektite/meta';
import { SettingReader } from './setting-reader.ts';

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** How creations that a slow webhook fails are repeated, from the ConfigMap `config-wait-exponential-backoff`. */
export const waitBackoffConfig = customConfig('config-wait-exponential-backoff', (data) => {
  const read = new SettingReader(data);
  const duration = (key: string, fallback: string) =>
    goDurationToMilliseconds(
      read.duration(key, fallback, (text, reason) => `failed parsing ${key} ${quoteGo(text)}: ${reason}`),
    );
  const float = (key: string, fallback: string) => {
    const text = read.text(key, fallback);
    if (decimal.test(text)) return Number(text);
    const reason = `strconv.ParseFloat: parsing ${quoteGo(text)}: invalid syntax`;
    throw new ConfigError(`failed parsing ${key} ${quoteGo(text)}: ${reason}`, key);
  };
  const durationMs = duration('duration', '1s');
  const factor = float('factor', '2');
  // Upstream reads it and does not use it.
  float('jitter', '0');
  const steps = read.integer(
    'steps',
    10,
    (text, reason) => `failed parsing steps ${quoteGo(text)}: strconv.Atoi: parsing ${quoteGo(text)}: ${reason}`,
  );
  return { durationMs, factor, steps, capMs: duration('cap', '60s') };
});

export type WaitBackoff = ConfigOf<typeof waitBackoffConfig>;

/** Without a ConfigMap. */
export const standardWaitBackoff: WaitBackoff = waitBackoffConfig.parse({});
