import { setOwn } from '@tektite/meta';
import type { GoField, GoType, StructDefinition } from './go-type.ts';
import { type Entry, JsonNumber } from '../json/json-document.ts';
import { jsonTypeName } from '../json/json-type-name.ts';
import { DecodeError } from '../json/decode-error.ts';
import { DecodeState, type FieldStep } from './decode-state.ts';
import { never, type ValueDecoder } from './value-decoder.ts';

interface FieldPlan extends FieldStep {
  readonly index: number;
  readonly decoder: ValueDecoder;
  readonly always: boolean;
  readonly omitzero: boolean;
  /** Whether there is something to print when the field is not in the document. */
  readonly printedWhenAbsent: boolean;
  readonly remembersEmpty: boolean;
  readonly isList: boolean;
  /** A time that is no pointer. */
  readonly isTime: boolean;
}

/** More structs around one another than any real object has; Go itself stops at ten thousand. */
const maxDepth = 501;

/** Structs that were decoded from an empty map, which is not printed and has a meaning nevertheless. */
const emptied = new WeakSet<object>();

/** Whether a decoded struct had an empty map in a field that remembers it. Copies of the struct do not. */
export function hadEmptyMap(struct: object): boolean {
  return emptied.has(struct);
}

/**
 * Decodes objects into what Go's struct of that definition would print: known fields only, in the order of their
 * declaration, empty ones dropped or printed as the type says.
 */
export class StructDecoder implements ValueDecoder {
  readonly isEmpty = never;
  private readonly definition: StructDefinition;
  private readonly decoderOf: (type: GoType) => ValueDecoder;
  private plans: readonly FieldPlan[] | undefined;
  private readonly byName = new Map<string, FieldPlan>();
  private byFoldedName: Map<string, FieldPlan> | undefined;
  private readonly goName: string;

  constructor(definition: StructDefinition, decoderOf: (type: GoType) => ValueDecoder) {
    this.definition = definition;
    this.decoderOf = decoderOf;
    this.goName = definition.key.slice(definition.key.indexOf('/') + 1);
  }

  /** Made on first use: a struct may contain itself. */
  private fields(): readonly FieldPlan[] {
    if (this.plans) return this.plans;
    const struct = this.goName.slice(this.goName.indexOf('.') + 1);
    this.plans = this.definition.fields.map((field, index) =>
      makePlan(field, index, struct, this.decoderOf(field.type)),
    );
    for (const plan of this.plans) this.byName.set(plan.name, plan);
    return this.plans;
  }

  zero(state: DecodeState): Record<string, unknown> {
    return this.print(this.fields(), [], state);
  }

  /** A field that is, by identity, that of `known`, an object decoded before, is taken as it is. */
  decode(raw: unknown, state: DecodeState, known?: object): Record<string, unknown> {
    const plans = this.fields();
    if (raw === null && (state.path.length > 0 || !state.isEncodingJson)) return this.print(plans, [], state);
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw) || raw instanceof JsonNumber) {
      state.mismatched(jsonTypeName(raw), this.goName);
      return this.print(plans, [], state);
    }
    if (state.isEncodingJson) return this.print(plans, this.decodeSorted(raw, state), state);
    const repeated = state.duplicates?.get(raw);
    if (repeated) return this.print(plans, this.decodeRepeated(repeated, state), state);
    const values = new Array<unknown>(plans.length);
    const { path } = state;
    for (const key in raw) {
      const value = (raw as Record<string, unknown>)[key];
      if (value === undefined) continue;
      const plan = this.byName.get(key);
      if (plan === undefined) {
        if (!isTypeMeta(key, state)) state.reportStrict('unknown field', key);
        continue;
      }
      if (known && typeof value === 'object' && value === (known as Record<string, unknown>)[key]) {
        values[plan.index] = value;
        continue;
      }
      path.push(plan);
      values[plan.index] = plan.decoder.decode(value, state);
      path.pop();
    }
    return this.print(plans, values, state);
  }

  /** The fields of an object whose keys encoding/json finds sorted, in any case of letters. */
  private decodeSorted(raw: object, state: DecodeState): unknown[] {
    if (++state.depth > maxDepth) throw new DecodeError('json: exceeded max depth');
    const values: unknown[] = [];
    const { path } = state;
    for (const key of Object.keys(raw).sort()) {
      if (isTypeMeta(key, state)) continue;
      const value = (raw as Record<string, unknown>)[key];
      const plan = this.byName.get(key) ?? this.foldedNames().get(key.toLowerCase());
      if (plan === undefined) state.reportStrict('unknown field', key);
      if (plan === undefined || value === undefined) continue;
      path.push(plan);
      values[plan.index] = plan.decoder.decode(value, state);
      path.pop();
    }
    state.depth--;
    return values;
  }

  private foldedNames(): ReadonlyMap<string, FieldPlan> {
    this.byFoldedName ??= new Map(this.fields().map((plan) => [plan.name.toLowerCase(), plan]));
    return this.byFoldedName;
  }

  /**
   * An object that has a key twice. Go decodes the second value over the first, so objects merge; anything else is
   * replaced.
   */
  private decodeRepeated(entries: readonly Entry[], state: DecodeState): unknown[] {
    const values: unknown[] = [];
    const raws = new Map<FieldPlan, unknown>();
    const { path } = state;
    for (const [key, value] of entries) {
      const plan = this.byName.get(key);
      if (plan === undefined) {
        state.reportStrict('unknown field', key);
        continue;
      }
      const isRepeated = raws.has(plan);
      if (isRepeated) state.reportStrict('duplicate field', key);
      const merged = isRepeated ? mergeRaw(raws.get(plan), value) : value;
      raws.set(plan, merged);
      path.push(plan);
      values[plan.index] = plan.decoder.decode(value, state);
      if (merged !== value) values[plan.index] = plan.decoder.decode(merged, new DecodeState(state));
      path.pop();
    }
    return values;
  }

  private print(plans: readonly FieldPlan[], values: readonly unknown[], state: DecodeState): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const plan of plans) {
      let value = values[plan.index];
      if (value === undefined) {
        if (!plan.printedWhenAbsent) continue;
        value = plan.decoder.zero(state) ?? null;
      } else if (!plan.always && plan.decoder.isEmpty(value)) {
        if (plan.remembersEmpty) emptied.add(result);
        continue;
      } else if (state.stored && plan.isList && (value as unknown[]).length === 0) value = null;
      if (plan.omitzero && value === null) continue;
      // Go prints a zero time as null. Schemas of custom resources deny it, and the status of a run with a lost container could not be written.
      if (value === null && plan.isTime && !plan.always && state.isEncodingJson) continue;
      result[plan.name] = value;
    }
    return result;
  }
}

function makePlan(field: GoField, index: number, struct: string, decoder: ValueDecoder): FieldPlan {
  const { name, embedded, always, omitzero, type } = field;
  const isStruct = type.kind === 'struct' || decoder.isEmpty === never;
  return {
    name,
    goPath: embedded === undefined ? name : `${embedded}.${name}`,
    struct,
    index,
    decoder,
    always,
    omitzero,
    printedWhenAbsent: always || (isStruct && !omitzero),
    remembersEmpty: field.remembersEmpty === true,
    isList: type.kind === 'list',
    isTime: type.kind === 'scalar' && (type.scalar === 'Time' || type.scalar === 'MicroTime'),
  };
}

/** Whether a key is one of the two that a resource has besides the fields of its struct. */
function isTypeMeta(key: string, { isResource, path }: DecodeState): boolean {
  return isResource && path.length === 0 && (key === 'apiVersion' || key === 'kind');
}

function mergeRaw(first: unknown, second: unknown): unknown {
  if (!isPlainObject(first) || !isPlainObject(second)) return second;
  const merged: Record<string, unknown> = { ...first };
  for (const key of Object.keys(second)) {
    setOwn(merged, key, Object.hasOwn(first, key) ? mergeRaw(first[key], second[key]) : second[key]);
  }
  return merged;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}
