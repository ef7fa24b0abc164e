import { parseQuantityParts } from '@tektite/meta';
import { goFieldName } from './go-field-name.ts';
import type { GoField, GoScalar, GoType, StructDefinition } from '../decode/go-type.ts';

/**
 * A struct as Go's package spew prints it with `%#v`, with types, without addresses and methods: what Kubernetes
 * hashes. Takes a value as the API has it; empty lists and maps count as absent, which they are once stored.
 */
export function dumpStruct(definition: StructDefinition, value: object | undefined): string {
  const name = typeName(definition);
  return `(${name})${structBody(definition, name, value)}`;
}

const typeName = ({ key }: StructDefinition) => key.slice(key.indexOf('/') + 1);

function structBody(definition: StructDefinition, name: string, value: object | undefined): string {
  const parts: string[] = [];
  for (const [embedded, fields] of byEmbedding(definition.fields)) {
    const inner = embedded === '' ? name : `${name.slice(0, name.indexOf('.'))}.${embedded}`;
    const texts = fields.map((field) => fieldText(name, field, value)).join(' ');
    parts.push(embedded === '' ? texts : `${embedded}:(${inner}){${texts}}`);
  }
  return `{${parts.join(' ')}}`;
}

/** Runs of fields that come from one embedded struct, whose name is empty for fields of the struct itself. */
function byEmbedding(fields: readonly GoField[]): [string, GoField[]][] {
  const runs: [string, GoField[]][] = [];
  for (const field of fields) {
    const embedded = field.embedded ?? '';
    const last = runs.at(-1);
    if (last?.[0] === embedded) last[1].push(field);
    else runs.push([embedded, [field]]);
  }
  return runs;
}

function fieldText(struct: string, { name, type }: GoField, value: object | undefined): string {
  return `${goFieldName(struct, name)}:${typed(type, (value as Record<string, unknown> | undefined)?.[name])}`;
}

function typed(type: GoType, value: unknown): string {
  return `(${type.goName})${untyped(type, value)}`;
}

function untyped(type: GoType, value: unknown): string {
  switch (type.kind) {
    case 'pointer':
      return value === undefined || value === null ? '<nil>' : untyped(type.to, value);
    case 'struct':
      return structBody(type.struct(), type.goName, (value ?? undefined) as object | undefined);
    case 'list': {
      const items = (value ?? []) as readonly unknown[];
      return items.length === 0 ? '<nil>' : `[${items.map((item) => untyped(type.element, item)).join(' ')}]`;
    }
    case 'map': {
      const entries = Object.entries((value ?? {}) as object);
      if (entries.length === 0) return '<nil>';
      entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      return `map[${entries.map(([key, item]) => `${key}:${untyped(type.value, item)}`).join(' ')}]`;
    }
    default:
      return scalarText(type, value);
  }
}

function scalarText({ scalar, goName }: GoScalar, value: unknown): string {
  switch (scalar) {
    case 'string':
      return (value as string | undefined) ?? '';
    case 'bool':
      return String(value ?? false);
    case 'int32':
    case 'int64':
      return String(value ?? 0);
    case 'Quantity':
      return quantityText(value === undefined ? undefined : String(value));
    case 'IntOrString':
      return typeof value === 'string'
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${Number(value ?? 0)} StrVal:(string)}`;
    case 'Time':
      if (value === undefined || value === null) {
        return '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';
      }
  }
  throw new TypeError(`no print of a ${goName} that is not empty is known`);
}

const wordBits = 64n;

function quantityText(text: string | undefined): string {
  if (text === undefined) return quantityParts(0n, 0, '<nil>', '', '');
  const { value, exponent, format, wide, text: written = '' } = parseQuantityParts(text);
  if (!wide) return quantityParts(value, exponent, '<nil>', written, format);
  const magnitude = value < 0n ? -value : value;
  const unscaled = magnitude * 10n ** BigInt(exponent + nanoDigits);
  const words: bigint[] = [];
  for (let rest = unscaled; rest > 0n; rest >>= wordBits) words.push(BigInt.asUintN(Number(wordBits), rest));
  const number = `(big.Int){neg:(bool)${value < 0n} abs:(big.nat)[${words.join(' ')}]}`;
  return quantityParts(0n, 0, `{unscaled:${number} scale:(inf.Scale)${nanoDigits}}`, written, format);
}

/** Wide numbers are kept with nine digits after the point. */
const nanoDigits = 9;

function quantityParts(value: bigint, scale: number, decimal: string, text: string, format: string): string {
  const amount = `i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}}`;
  return `{${amount} d:(resource.infDecAmount){Dec:(*inf.Dec)${decimal}} s:(string)${text} Format:(resource.Format)${format}}`;
}
