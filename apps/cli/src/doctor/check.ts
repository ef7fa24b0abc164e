import { UserError } from '../user-error.ts';

/** `missing`: Pods or the file cannot run without it. `warning`: something works less well, or only later. */
export type CheckStatus = 'ok' | 'warning' | 'missing';

/** One fact about this machine, or about a file on it. */
export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** How to mend it. Whatever is not `ok` has one. */
  readonly remedy?: string;
}

export const ok = (name: string, detail: string): Check => ({ name, status: 'ok', detail });
export const warning = (name: string, detail: string, remedy: string): Check => ({
  name,
  status: 'warning',
  detail,
  remedy,
});
export const missing = (name: string, detail: string, remedy: string): Check => ({
  name,
  status: 'missing',
  detail,
  remedy,
});

/** Throws the remedy of the first check that is missing: commands stop before they start anything. */
export function requireAll(checks: readonly Check[]): void {
  const first = checks.find(({ status }) => status === 'missing');
  if (first) throw new UserError(first.remedy ?? `${first.name}: ${first.detail}`);
}
