import { type FieldError, FieldPath, invalid } from '@tektite/meta';

const prefix = 'pod-security.kubernetes.io/';
const levels = ['privileged', 'baseline', 'restricted'] as const;

export type Level = (typeof levels)[number];

/** A level as a version of Kubernetes defines it, by its minor number. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: number | 'latest';
}

/** The Pod security levels in the labels of a namespace. */
export interface SecurityPolicy {
  /** Pods that break it are refused. */
  readonly enforce: LevelVersion;
  /** Those who create Pods or workloads that break it are warned. */
  readonly warn: LevelVersion;
  /** Pods and workloads that break it are named in the audit log. */
  readonly audit: LevelVersion;
}

/** `restricted:latest`, `baseline:v1.30`. */
export function formatLevelVersion({ level, version }: LevelVersion): string {
  return `${level}:${version === 'latest' ? version : `v1.${version}`}`;
}

export function sameLevelVersion(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version;
}

/** Negative when `a` is laxer than `b`. */
export function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(a) - levels.indexOf(b);
}

/**
 * Reads the policy off the labels. Labels that make no sense are complained about, and for enforcing taken for the
 * strictest.
 */
export function readPolicy(labels: Readonly<Record<string, string>> = {}): {
  readonly policy: SecurityPolicy;
  readonly errors: readonly FieldError[];
} {
  const errors: FieldError[] = [];
  const enforceLevel = readLevel(labels, 'enforce', 'restricted', errors);
  const enforceVersion = readVersion(labels, 'enforce', errors);
  const auditLevel = readLevel(labels, 'audit', 'privileged', errors);
  const auditVersion = readVersion(labels, 'audit', errors);
  const warnLevel = readLevel(labels, 'warn', 'privileged', errors);
  const warnVersion = readVersion(labels, 'warn', errors);
  const enforce: LevelVersion = { level: enforceLevel?.level ?? 'privileged', version: enforceVersion ?? 'latest' };
  // Who enforces but says nothing of warnings is warned of the same.
  const follows = !warnLevel && enforceLevel?.isValid && enforce.level !== 'privileged';
  const warn: LevelVersion = follows
    ? { level: enforce.level, version: warnVersion ?? enforce.version }
    : { level: warnLevel?.level ?? 'privileged', version: warnVersion ?? 'latest' };
  const audit: LevelVersion = { level: auditLevel?.level ?? 'privileged', version: auditVersion ?? 'latest' };
  return { policy: { enforce, warn, audit }, errors };
}

function readLevel(
  labels: Readonly<Record<string, string>>,
  mode: string,
  fallback: Level,
  errors: FieldError[],
): { readonly level: Level; readonly isValid: boolean } | undefined {
  const text = labels[`${prefix}${mode}`];
  if (text === undefined) return undefined;
  const level = levels.find((candidate) => candidate === text);
  if (!level) errors.push(report(mode, text, `must be one of ${levels.join(', ')}`));
  return { level: level ?? fallback, isValid: level !== undefined };
}

function readVersion(
  labels: Readonly<Record<string, string>>,
  mode: string,
  errors: FieldError[],
): number | 'latest' | undefined {
  const name = `${mode}-version`;
  const text = labels[`${prefix}${name}`];
  if (text === undefined || text === 'latest') return text;
  const match = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(text);
  if (match) return Number(match[1]);
  errors.push(report(name, text, 'must be "latest" or "v1.x"'));
  return 'latest';
}

function report(name: string, value: string, reason: string): FieldError {
  return invalid(FieldPath.of('metadata').child('labels').key(`${prefix}${name}`), value, reason);
}
