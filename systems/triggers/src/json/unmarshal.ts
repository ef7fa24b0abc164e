import { jsonSyntaxError, jsonTypeName } from '@tektite/go';

export type JsonMap = Readonly<Record<string, unknown>>;

/** Objects and lists may be nested this deep. Upstream allows 10,000; this much can be walked by recursion everywhere. */
const maxDepth = 1000;

/** Parses JSON; an error has Go's message. */
export function unmarshal(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(jsonSyntaxError(Buffer.from(text)), { cause });
  }
  if (typeof value === 'object' && isDeep(text)) throw new Error('exceeded max depth');
  return value;
}

/** Parses JSON into a map, as Go does into `map[string]interface{}`: null is an empty one. */
export function unmarshalMap(text: string): JsonMap {
  const value = unmarshal(text);
  if (value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as JsonMap;
  throw new Error(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`);
}

function isDeep(text: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === backslash) at++;
      else if (code === quote) isText = false;
    } else if (code === quote) isText = true;
    else if (code === openBrace || code === openBracket) {
      if (++depth > maxDepth) return true;
    } else if (code === closeBrace || code === closeBracket) depth--;
  }
  return false;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Array.from('"\\{}[]', (character) =>
  character.charCodeAt(0),
);
