import { FieldPath } from '@tektite/meta';
import { type JsonSchema, propertySchema } from '../structural-schema.ts';

/** A path below a schema: where it leads, and how it is printed. */
export interface RulePath {
  readonly path: FieldPath;
  /** The first name of the path. */
  readonly root: string;
  readonly schema: JsonSchema | undefined;
}

/** Pieces of a path: delimiters, texts in single quotes, and names. */
function tokens(text: string): string[] {
  return text.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]']+|'/gs) ?? [];
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unquote(text: string): string | undefined {
  let bad = false;
  const plain = text.replaceAll(/\\(.)/gs, (_, char: string) => {
    if (!Object.hasOwn(escapes, char)) bad = true;
    return escapes[char] ?? '';
  });
  return bad ? undefined : plain;
}

/**
 * Follows a simple JSON path (`.spec.name`, `.map['a key']`) through a schema. A string says why it leads nowhere.
 */
export function followPath(
  text: string,
  start: JsonSchema,
  { arrayNotation = true }: { arrayNotation?: boolean } = {},
): RulePath | string {
  const parts = tokens(text);
  let schema: JsonSchema | undefined = start;
  let path = FieldPath.root;
  let root = '';
  for (let i = 0; i < parts.length; ) {
    const token = parts[i++] as string;
    let name: string | undefined;
    if (token === '[') {
      if (!arrayNotation) return 'array notation is not allowed';
      const quoted = parts[i++];
      if (quoted === undefined) return 'unexpected end of JSON path';
      if (!/^'.*'$/s.test(quoted) || quoted.length < 2) return `expected single quoted string but got ${quoted}`;
      name = unquote(quoted.slice(1, -1));
      if (name === undefined) return `invalid string literal: invalid escape char`;
    } else if (token === '.') {
      name = parts[i++];
      if (name === undefined) return 'unexpected end of JSON path';
    } else return `expected [ or . but got: ${token}`;
    const next = step(schema, name);
    if (!next) return 'does not refer to a valid field';
    path = next.isProperty ? path.child(name) : path.key(name);
    root ||= path.toString();
    schema = next.schema;
    if (token === '[') {
      const close = parts[i++];
      if (close === undefined) return 'unexpected end of JSON path';
      if (close !== ']') return `expected ] but got ${close}`;
    }
  }
  return { path, root, schema };
}

function step(
  schema: JsonSchema | undefined,
  name: string,
): { schema: JsonSchema | undefined; isProperty: boolean } | undefined {
  if (schema?.properties) {
    const property = propertySchema(schema, name);
    return property && { schema: property, isProperty: true };
  }
  const rest = schema?.additionalProperties;
  if (rest === undefined) return undefined;
  return { schema: typeof rest === 'object' ? rest : undefined, isProperty: false };
}
