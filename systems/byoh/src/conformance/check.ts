import type { InstallerConfig } from '../installer/decide-installer.ts';
import { type ConformanceBench, gateOpen, type Subject } from './conformance-bench.ts';

/** The result of a check. */
export type Finding =
  | { readonly result: 'pass'; readonly detail?: string }
  | { readonly result: 'fail'; readonly detail: string }
  | { readonly result: 'skip'; readonly detail: string };

export interface Check {
  readonly id: string;
  readonly title: string;
  run(bench: ConformanceBench): Promise<Finding>;
}

export const pass: Finding = { result: 'pass' };
export const fail = (detail: string): Finding => ({ result: 'fail', detail });

/** Nothing may have happened: no Secret, no word of success or failure. */
export async function untouched(bench: ConformanceBench, { name }: Subject): Promise<string | undefined> {
  await bench.settle();
  const config = await bench.read(name);
  if (!config) return 'the config was deleted';
  const { ready, installationSecret, failureReason } = config.status ?? {};
  if (ready) return 'it says that it is ready';
  if (installationSecret) return `it names the Secret ${installationSecret.name}`;
  if (failureReason) return `it reports a failure: ${failureReason}`;
  const [secret] = await bench.secrets(config);
  return secret && `it made the Secret ${secret.metadata.name}`;
}

export const isReady = ({ status }: InstallerConfig): boolean => status?.ready === true;
export const isSettled = ({ status }: InstallerConfig): boolean =>
  status?.ready === true || Boolean(status?.failureReason);

/** A config on which all is well. */
export async function happy(
  bench: ConformanceBench,
): Promise<{ readonly subject: Subject; readonly config: InstallerConfig } | string> {
  const subject = await bench.subject(gateOpen, bench.options.host);
  await bench.config(subject);
  const config = await bench.until(subject.name, isSettled);
  if (!config) return 'it never became ready';
  const { failureReason, failureMessage } = config.status ?? {};
  return config.status?.ready ? { subject, config } : `it failed: ${failureReason}: ${failureMessage}`;
}
