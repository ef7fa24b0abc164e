import type { KubeObject } from '@tektite/meta';
import { neverMoreThan, neverTwice } from '../oracles/object-rules.ts';
import type { Rule } from '../oracles/rule.ts';
import { simulationErrors } from '../run/simulation-error.ts';

/** A rule as a file states it. */
type GivenRule =
  /** So many objects of a kind exist at any moment, those that are being deleted not counted. */
  | { readonly atMost: { readonly kind: string; readonly count: number } }
  /** No two objects of a kind ever have the same value of a label or an annotation. */
  | { readonly once: { readonly kind: string; readonly label?: string; readonly annotation?: string } };

/** Reads a rule of a scenario file. */
export function readRule(given: unknown, path: string): Rule {
  const rule = given as Partial<Record<'atMost' | 'once', unknown>> | null;
  if (isAtMost(rule)) {
    const { kind, count } = rule.atMost;
    return neverMoreThan(kind, count, ({ metadata }) => metadata.deletionTimestamp === undefined);
  }
  if (isOnce(rule)) {
    const { kind, label, annotation } = rule.once;
    const valueOf = ({ metadata }: KubeObject) =>
      label === undefined ? metadata.annotations?.[annotation ?? ''] : metadata.labels?.[label];
    return neverTwice(kind, `never two of ${kind} with one ${label ?? annotation}`, valueOf);
  }
  throw new simulationErrors.Error(
    'SCENARIO_INVALID',
    `the scenario is not valid: ${path} must be atMost: { kind, count }, or once: { kind, label } or { kind, annotation }`,
  );
}

function isAtMost(rule: object | null): rule is Extract<GivenRule, { readonly atMost: unknown }> {
  const { kind, count } = fieldsOf(rule, 'atMost');
  return typeof kind === 'string' && Number.isInteger(count);
}

function isOnce(rule: object | null): rule is Extract<GivenRule, { readonly once: unknown }> {
  const { kind, label, annotation } = fieldsOf(rule, 'once');
  return typeof kind === 'string' && (typeof label === 'string') !== (typeof annotation === 'string');
}

function fieldsOf(rule: object | null, name: string): Readonly<Record<string, unknown>> {
  const fields: unknown = rule && (rule as Readonly<Record<string, unknown>>)[name];
  return typeof fields === 'object' && fields !== null ? (fields as Readonly<Record<string, unknown>>) : {};
}
