import { formatGoValue } from '@tektite/go';
import { type FieldError, invalid, type KubeObject } from '@tektite/meta';
import type { ScalePaths } from '../registry/resource.ts';

const maxReplicas = 2 ** 31 - 1;

/** The fields that `/scale` reads have their type or are absent, whatever the schema says. */
export function checkScale(scale: ScalePaths, object: KubeObject): FieldError[] {
  return [...checkReplicas(scale.specReplicasPath, object), ...checkScaleStatus(scale, object)];
}

/** The part of the rules that a write of the status has to keep. */
export function checkScaleStatus(
  { statusReplicasPath, labelSelectorPath }: ScalePaths,
  object: KubeObject,
): FieldError[] {
  const errors = checkReplicas(statusReplicasPath, object);
  if (labelSelectorPath === undefined) return errors;
  const { problem } = find(object, labelSelectorPath, 'string', (each) => typeof each === 'string');
  return problem === undefined ? errors : [...errors, invalid(labelSelectorPath, '', problem)];
}

function checkReplicas(path: string, object: KubeObject): FieldError[] {
  const { value, problem } = find(object, path, 'int64', Number.isInteger);
  if (problem !== undefined) return [invalid(path, 0, problem)];
  const replicas = (value ?? 0) as number;
  if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')];
  return replicas > maxReplicas ? [invalid(path, replicas, `should be less than or equal to ${maxReplicas}`)] : [];
}

interface Found {
  readonly value?: unknown;
  readonly problem?: string;
}

/** Follows the fields of a path. What is in the way and is no object, or no value of the type at its end, is a problem. */
function find(object: unknown, path: string, type: string, isType: (value: unknown) => boolean): Found {
  const fields = path.replace(/^\./, '').split('.');
  const problemOf = (value: unknown, count: number, expected: string) => ({
    value,
    problem: `.${fields.slice(0, count).join('.')} accessor error: ${formatGoValue(value)} is of the type ${goTypeOf(value)}, expected ${expected}`,
  });
  let value = object;
  for (const [index, field] of fields.entries()) {
    if (value === null) return {};
    if (typeof value !== 'object' || Array.isArray(value)) return problemOf(value, index + 1, 'map[string]interface{}');
    if (!Object.hasOwn(value as object, field)) return {};
    value = (value as Readonly<Record<string, unknown>>)[field];
    if (value === undefined) return {};
  }
  return isType(value) ? { value } : problemOf(value, fields.length, type);
}

function goTypeOf(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
