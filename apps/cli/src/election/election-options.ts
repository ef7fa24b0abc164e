import { type Client, ignoreNotFound, kinds } from '@tektite/client';
import type { SystemsElection } from '@tektite/controller';
import { type ElectionTiming, ordinalPlace, readElectionConfig } from '@tektite/controller/election';
import { readDuration } from '../read-duration.ts';
import { readNumber } from '../user-error.ts';

interface ElectionOptions {
  readonly buckets?: string;
  readonly leaderElectLeaseDuration?: string;
  readonly leaderElectRenewDeadline?: string;
  readonly leaderElectRetryPeriod?: string;
}

/** The settings of the election that flags name. */
export type ElectionFlags = Partial<ElectionTiming & { readonly buckets: number }>;

export function electionFlags(options: ElectionOptions): ElectionFlags {
  const { buckets, leaderElectLeaseDuration, leaderElectRenewDeadline, leaderElectRetryPeriod } = options;
  const duration = (key: keyof ElectionTiming, flag: string, text: string | undefined) =>
    text === undefined ? {} : { [key]: readDuration(flag, text) };
  return {
    ...(buckets === undefined ? {} : { buckets: readNumber('--buckets', buckets, 1, 10) }),
    ...duration('leaseDurationMs', '--leader-elect-lease-duration', leaderElectLeaseDuration),
    ...duration('renewDeadlineMs', '--leader-elect-renew-deadline', leaderElectRenewDeadline),
    ...duration('retryPeriodMs', '--leader-elect-retry-period', leaderElectRetryPeriod),
  };
}

/**
 * How replicas share the work. Pods of a StatefulSet that know their numbers need no election: number N has bucket N.
 * Others elect: as the flags say; else as the ConfigMap that `CONFIG_LEADERELECTION_NAME` names, which an operator writes and
 * recreates the Pods for; else as Kubernetes' own components, with one bucket. Times that the ConfigMap does not have are those of
 * Kubernetes, and not knative's, which let a minute pass before another replica begins.
 */
export async function electionOf(
  client: Client,
  { systemNamespace: namespace }: { readonly systemNamespace: string },
  flags: ElectionFlags,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<SystemsElection> {
  const name = environment.CONFIG_LEADERELECTION_NAME;
  const found = name ? await client.get(kinds.ConfigMap, { namespace, name }).catch(ignoreNotFound) : undefined;
  const data = found?.data ?? {};
  const { prefixes, buckets, ...timing } = readElectionConfig(data);
  const ordinal = ordinalPlace(environment, { namespace, buckets: flags.buckets ?? buckets });
  if (ordinal) return { ordinal };
  if (!name) return { namespace, buckets: 1, ...flags };
  const hasTiming = ['lease-duration', 'leaseDuration', 'renew-deadline', 'renewDeadline'].some((key) => key in data);
  return { namespace, ...(hasTiming ? timing : {}), buckets, prefixes, ...flags };
}
