import type { DynamicObject } from '@tektite/meta';
import { celEnvironment, dynType, jsonValue, type Program } from '@tektite/schema';
import { isMapping } from '../field-value.ts';
import { ManifestError } from '../manifest-error.ts';
import { groupKindOf } from '../object-identity.ts';
import type { ReadinessOptions } from './object-status.ts';
import { current, failed, inProgress, type Readiness } from './readiness.ts';

/**
 * When objects of a kind are ready, as expressions (CEL) over the object: its fields `metadata`, `spec`, `status` and `data` are
 * variables, and so is the whole as `object`. The words are those of Flux.
 */
export interface HealthCheck {
  readonly apiVersion: string;
  readonly kind: string;
  /** True: it is ready. */
  readonly current: string;
  /** True: it is on its way. Asked first. */
  readonly inProgress?: string;
  /** True: it will not become ready. */
  readonly failed?: string;
}

const fields = ['metadata', 'spec', 'status', 'data'];
const environment = celEnvironment({
  variables: Object.fromEntries(['object', 'apiVersion', 'kind', ...fields].map((name) => [name, dynType])),
});
/** An expression that costs more than this is not meant for an object. */
const costLimit = 1_000_000;

/**
 * Rules for {@link objectStatus} and `waitForObjects`. Versions of a kind share a rule. An expression that cannot be answered, because
 * a field is not there yet, counts as false; one that makes no sense is a ManifestError.
 *
 * @example
 * const rules = healthRules([
 *   { apiVersion: 'example.com/v1', kind: 'Database', current: "status.phase == 'Running'", failed: "status.phase == 'Lost'" },
 * ]);
 * await waitForObjects(client, references, { rules });
 */
export function healthRules(checks: readonly HealthCheck[]): NonNullable<ReadinessOptions['rules']> {
  const rules: Record<string, (object: DynamicObject) => Readiness> = Object.create(null) as typeof rules;
  for (const check of checks) rules[groupKindOf(check)] = ruleOf(check);
  return rules;
}

/** Checks as they are written in a file: a list of them, or one. Throws a ManifestError that says what is wrong. */
export function readHealthChecks(value: unknown): readonly HealthCheck[] {
  return (Array.isArray(value) ? value : [value]).map((check: unknown, index): HealthCheck => {
    if (!isMapping(check)) throw invalid(`health check ${index + 1} is no object`);
    for (const field of ['apiVersion', 'kind', 'current'])
      if (typeof check[field] !== 'string') throw invalid(`health check ${index + 1} has no ${field}`);
    for (const field of ['inProgress', 'failed'])
      if (check[field] !== undefined && typeof check[field] !== 'string')
        throw invalid(`health check ${index + 1}: ${field} is no expression`);
    return check as unknown as HealthCheck;
  });
}

function ruleOf(check: HealthCheck): (object: DynamicObject) => Readiness {
  const programs = {
    inProgress: compile(check, 'inProgress'),
    failed: compile(check, 'failed'),
    current: compile(check, 'current'),
  };
  return (object) => {
    if (programs.inProgress && holds(programs.inProgress, object))
      return inProgress('InProgress', `${check.inProgress}`);
    if (programs.failed && holds(programs.failed, object)) return failed('Failed', `${check.failed}`);
    if (programs.current && holds(programs.current, object)) return current();
    return inProgress('NotCurrent', `not yet: ${check.current}`);
  };
}

function compile(check: HealthCheck, field: 'inProgress' | 'failed' | 'current'): Program | undefined {
  const text = check[field];
  if (text === undefined) return undefined;
  const { program, error } = environment.compile(text);
  if (program) return program;
  throw invalid(`the expression ${field} for ${check.kind} (${check.apiVersion}) cannot be used: ${error}`);
}

function holds(program: Program, object: DynamicObject): boolean {
  const variable = (name: string) => {
    if (name === 'object') return jsonValue(object);
    return Object.hasOwn(object, name) ? jsonValue(object[name]) : jsonValue({});
  };
  return program.run(variable, costLimit).value === true;
}

function invalid(message: string): ManifestError {
  return new ManifestError('INVALID_OPTION', message);
}
