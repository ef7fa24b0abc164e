import { isDecodeError } from '@tektite/go';
import { cloneJson, isStatusError, type KubeObject } from '@tektite/meta';
import { type JsonSchema, ListValue, type Value } from '@tektite/schema';
import { atomOf, untypedSchema } from '../../apply/atom.ts';
import { checkTyped } from '../../apply/check-typed.ts';
import { merge } from '../../apply/merge.ts';
import { fieldElement, formatFieldPath } from '../../apply/path-element.ts';
import { applyJsonPatch } from '@tektite/schema/patch';
import type { Draft, Resource } from '../../registry/resource.ts';
import type { CompiledMutation } from './mutating-policy.ts';
import { BuiltObject, misnamedTypes, valueToJson } from './patch-value.ts';

/** A mutation that cannot be made. The policy's failure policy decides what that means. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}

/**
 * The object after a mutation, from the value of its expression; decoded as if it had been sent. Without a resource it
 * is a Scale, a Binding or the like, which its handler checks.
 */
export function applyMutation(
  { patchType }: CompiledMutation,
  value: Value,
  object: KubeObject,
  resource: Resource | undefined,
): Draft {
  const changed =
    patchType === 'JSONPatch'
      ? patchJson(value, object)
      : applyConfiguration(value, object, resource?.schema ?? untypedSchema);
  if (changed === object) return object as Draft;
  const copy = cloneJson(changed) as Draft;
  if (!resource) return copy;
  try {
    return resource.decode({ value: copy, hasNumberTexts: false }).object;
  } catch (error) {
    throw isDecodeError(error) ? new MutationError(error.message) : error;
  }
}

/** A test that fails is no failure: the patch is for other objects. */
function patchJson(value: Value, object: KubeObject): unknown {
  const operations = value instanceof ListValue ? [...value] : [];
  for (const operation of operations) {
    const given = operation instanceof BuiltObject ? operation.fields.get('value') : undefined;
    if (given instanceof BuiltObject) checkNames(given);
  }
  try {
    return applyJsonPatch(object, operations.map(valueToJson));
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    if (reason.endsWith(': test failed')) return object;
    throw new MutationError(`JSON Patch: ${reason}`);
  }
}

function checkNames(value: BuiltObject): void {
  const violations = misnamedTypes(value, [value.type.name]);
  if (violations.length > 0) throw new MutationError(`type mismatch: ${violations.join('\n')}`);
}

function applyConfiguration(value: Value, object: KubeObject, schema: JsonSchema): unknown {
  if (!(value instanceof BuiltObject))
    throw new MutationError('unsupported return type from ApplyConfiguration expression');
  checkNames(value);
  const { apiVersion, kind } = object;
  const config = { ...(valueToJson(value) as object), apiVersion, kind };
  const violations = checkTyped(schema, config);
  if (violations.length > 0)
    throw new MutationError(
      `error applying patch: failed to convert patch object to typed object: ${violations.join('\n')}`,
    );
  const atomics = findAtomics(schema, config, []);
  if (atomics.length > 0)
    throw new MutationError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  return merge(schema, object, config);
}

/** Places that are only ever set as a whole: who names one field of such a struct would lose the others. */
function findAtomics(schema: JsonSchema, value: unknown, path: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const atom = atomOf(schema, value);
  if (atom.form === 'leaf') return [formatFieldPath(path)];
  if (atom.form === 'list') {
    return (value as unknown[]).flatMap((item, index) => findAtomics(atom.items, item, [...path, `i:${index}`]));
  }
  return Object.entries(value).flatMap(([name, child]) => {
    const field = atom.isStruct(name) ? atom.field(name) : undefined;
    return field ? findAtomics(field, child, [...path, fieldElement(name)]) : [];
  });
}
