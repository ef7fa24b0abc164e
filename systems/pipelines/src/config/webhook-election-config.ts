import { ConfigError, customConfig } from '@tektite/controller/config';
import { quoteGo } from '@tektite/meta';
import { SettingReader } from './setting-reader.ts';

const durations = [
  'leaseDuration',
  'renewDeadline',
  'retryPeriod',
  'lease-duration',
  'renew-deadline',
  'retry-period',
] as const;
const maxBuckets = 10;
const uint32Limit = 2n ** 32n;

/** How the replicas of upstream's webhook choose among themselves. There are none here; what could not be used is refused. */
export const webhookElectionConfig = customConfig('config-leader-election-webhook', (data) => {
  const read = new SettingReader(data);
  for (const key of durations) read.duration(key, '0', (_, reason) => `failed to parse ${quoteGo(key)}: ${reason}`);
  const buckets = bucketsOf(read.text('buckets', '1'));
  if (buckets < 1 || buckets > maxBuckets)
    throw new ConfigError(`buckets: value must be between 1 <= ${buckets} <= ${maxBuckets}`, 'buckets');
  return {};
});

function bucketsOf(text: string): number {
  const errorFor = (reason: string) =>
    new ConfigError(`failed to parse "buckets": strconv.ParseUint: parsing ${quoteGo(text)}: ${reason}`, 'buckets');
  if (!/^[0-9]+$/.test(text)) throw errorFor('invalid syntax');
  if (text.length > 100 || BigInt(text) >= uint32Limit) throw errorFor('value out of range');
  return Number(text);
}
