import { parseGoDuration } from '@tektite/go';
import type { DynamicObject } from '@tektite/meta';
import { parseYaml } from '@tektite/schema/yaml';
import { interferenceFaults, type Rates, standardRates } from '../faults/fault.ts';
import type { Rule } from '../oracles/rule.ts';
import { simulationErrors } from '../run/simulation-error.ts';
import type { Interference } from '../world/interference.ts';
import { readRule } from './scenario-rule.ts';
import type { ScenarioStep } from './scenario-step.ts';

/** The content of a scenario file. */
export interface ScenarioFile {
  readonly name?: string;
  readonly replicas?: number;
  readonly nodes?: number;
  readonly steps: readonly ScenarioStep[];
  readonly interference: Interference;
  readonly rates: Rates;
  /** Fields that may differ from a run without faults: `Kind path.to.field`. */
  readonly ignore: readonly string[];
  /** Promises that must hold at every moment. */
  readonly rules: readonly Rule[];
}

type Fields = Readonly<Record<string, unknown>>;

const knownFields = ['name', 'replicas', 'nodes', 'steps', 'interfere', 'rates', 'ignore', 'rules'];
const verbs = ['apply', 'patch', 'delete', 'wait', 'until'] as const;

/**
 * Reads a scenario: plain manifests, which users apply one after the other; or one document with `steps` and settings.
 *
 * @example
 * steps:
 * - apply: { apiVersion: cache.example.com/v1alpha1, kind: Memcached, metadata: { name: a, namespace: default }, spec: { size: 2 } }
 * - until: { apiVersion: cache.example.com/v1alpha1, kind: Memcached, metadata: { name: a, namespace: default }, condition: Available }
 * - wait: 30s
 * interfere: { delete: [Pod, Deployment] }
 * rules:
 * - atMost: { kind: Pod, count: 4 }
 */
export function readScenario(text: string): ScenarioFile {
  const documents = parseYaml(text)
    .map(({ value }) => value)
    .filter((value) => value !== null);
  if (documents.length === 0) throw invalid('it is empty');
  const [first] = documents;
  if (documents.every(isObject))
    return {
      steps: documents.map((object) => ({ type: 'apply', object })),
      interference: {},
      rates: standardRates,
      ignore: [],
      rules: [],
    };
  if (documents.length > 1 || !isFields(first)) throw invalid('it has to be manifests, or one document with steps');
  for (const field of Object.keys(first))
    if (!knownFields.includes(field)) throw invalid(`there is no field ${field}; there are ${knownFields.join(', ')}`);
  const { name, replicas, nodes, steps, interfere, rates, ignore, rules } = first;
  if (!Array.isArray(steps) || steps.length === 0) throw invalid('steps must be a list with at least one step');
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(replicas === undefined ? {} : { replicas: countOf('replicas', replicas) }),
    ...(nodes === undefined ? {} : { nodes: countOf('nodes', nodes) }),
    steps: steps.flatMap((step, index) => readStep(step, `steps[${index}]`)),
    interference: readInterference(interfere ?? {}),
    rates: { ...standardRates, ...readRates(rates ?? {}) },
    ignore: Array.isArray(ignore) ? ignore.map(String) : [],
    rules: Array.isArray(rules) ? rules.map((rule, index) => readRule(rule, `rules[${index}]`)) : [],
  };
}

function readStep(step: unknown, path: string): ScenarioStep[] {
  const verb = isFields(step) ? verbs.find((candidate) => candidate in step) : undefined;
  if (!isFields(step) || verb === undefined || Object.keys(step).length !== 1)
    throw invalid(`${path} must have one of ${verbs.join(', ')}`);
  const given = step[verb];
  if (verb === 'wait') return [{ type: verb, milliseconds: durationOf(given, `${path}.wait`) }];
  return (Array.isArray(given) ? given : [given]).map((each): ScenarioStep => {
    if (!isObject(each)) throw invalid(`${path}.${verb} must be an object with apiVersion, kind and metadata.name`);
    if (verb !== 'until') return { type: verb, object: each };
    const { condition, ...object } = each as DynamicObject & { condition?: unknown };
    if (typeof condition !== 'string') throw invalid(`${path}.until.condition must name a condition`);
    return { type: verb, object: object as DynamicObject, condition };
  });
}

function readInterference(given: unknown): Interference {
  if (!isFields(given)) throw invalid('interfere must be a mapping');
  const interference: Record<string, unknown> = {};
  for (const [act, kinds] of Object.entries(given)) {
    if (!interferenceFaults.some((fault) => fault === act))
      throw invalid(`interfere.${act}: there are ${interferenceFaults.join(', ')}`);
    if (act !== 'quota' && !(Array.isArray(kinds) && kinds.every((kind) => typeof kind === 'string')))
      throw invalid(`interfere.${act} must be a list of kinds`);
    interference[act] = kinds;
  }
  return interference as Interference;
}

function readRates(given: unknown): Rates {
  if (!isFields(given)) throw invalid('rates must be a mapping');
  for (const [fault, rate] of Object.entries(given)) {
    if (!(fault in standardRates)) throw invalid(`rates.${fault}: there are ${Object.keys(standardRates).join(', ')}`);
    if (typeof rate !== 'number' || rate < 0 || rate > 1) throw invalid(`rates.${fault} must be a number from 0 to 1`);
  }
  return given as Rates;
}

function countOf(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 10) return value;
  throw invalid(`${field} must be a number from 1 to 10`);
}

function durationOf(value: unknown, path: string): number {
  try {
    return Number(parseGoDuration(String(value)) / 1_000_000n);
  } catch {
    throw invalid(`${path} must be a time, as 30s or 1m30s`);
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObject(value: unknown): value is DynamicObject {
  if (!isFields(value)) return false;
  const { apiVersion, kind, metadata } = value;
  return (
    typeof apiVersion === 'string' &&
    typeof kind === 'string' &&
    isFields(metadata) &&
    typeof metadata['name'] === 'string'
  );
}

function invalid(message: string): Error {
  return new simulationErrors.Error('SCENARIO_INVALID', `the scenario is not valid: ${message}`);
}
