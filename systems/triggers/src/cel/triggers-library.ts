import { goJson } from '@tektite/go';
import { quoteGo } from '@tektite/meta';
import {
  boolType,
  compilePattern,
  declare,
  dynType,
  EvaluationError,
  type FunctionDeclaration,
  intType,
  listType,
  ListValue,
  mapType,
  type MapValue,
  method,
  parseQuery,
  parseUrlReference,
  stringType,
  type Value,
} from '@tektite/schema';
import { parseYaml } from '@tektite/schema/yaml';
import { canonicalHeader } from '../http/canonical-header.ts';
import { type JsonMap, unmarshalMap } from '../json/unmarshal.ts';
import { eventValue } from './event-value.ts';
import { replaceMatches } from './expand-template.ts';
import { jsonOfValue } from './json-of-value.ts';

/** Compares a text with a value of a Secret. The Secret must be there: evaluation is synchronous. */
export type CompareSecret = (text: string, key: string, name: string) => boolean;

const map = mapType(stringType, dynType);
const list = listType(dynType);

/** The functions that Tekton Triggers adds to CEL. */
export function triggersLibrary(compareSecret: CompareSecret): readonly FunctionDeclaration[] {
  return [
    declare(
      'match',
      method(
        'match_map_string_string',
        [map, stringType, stringType],
        boolType,
        (headers: MapValue, name: string, value: string) => headerOf(headers, name) === value,
      ),
    ),
    declare('canonical', method('canonical_map_string', [map, stringType], stringType, headerOf)),
    declare('truncate', method('truncate_string_uint', [stringType, intType], stringType, truncate)),
    declare(
      'compareSecret',
      // The namespace is taken and not used, as upstream does: a Secret of another namespace cannot be read.
      method(
        'compareSecret_string_string_string',
        [stringType, stringType, stringType, stringType],
        boolType,
        compareSecret,
      ),
      method('compareSecret_string_string', [stringType, stringType, stringType], boolType, compareSecret),
    ),
    declare('parseJSON', method('parseJSON_string', [stringType], map, parse('parseJSON', unmarshalMap))),
    declare('parseYAML', method('parseYAML_string', [stringType], map, parse('parseYAML', yamlMap))),
    declare('parseURL', method('parseURL_string', [stringType], map, parse('parseURL', urlMap))),
    declare(
      'marshalJSON',
      method('marshalJSON_map', [map], stringType, marshal),
      method('marshalJSON_list', [list], stringType, marshal),
    ),
    declare(
      'first',
      method('first_list', [list], dynType, (items: ListValue) => (items.size > 0 ? items.at(0) : null)),
    ),
    declare(
      'last',
      method('last_list', [list], dynType, (items: ListValue) => (items.size > 0 ? items.at(items.size - 1) : null)),
    ),
    declare(
      'translate',
      method('translate_string_string', [stringType, stringType, stringType], stringType, translate),
    ),
  ];
}

/** The first value of a header, or nothing. */
function headerOf(headers: MapValue, name: string): string {
  for (const key of headers.keys()) {
    const values = headers.find(key);
    const isHeader = values instanceof ListValue && [...values].every((value) => typeof value === 'string');
    if (!isHeader && values !== null)
      throw new EvaluationError('failed to convert to http.Header: unsupported type conversion');
  }
  const values = headers.find(canonicalHeader(name));
  return values instanceof ListValue && values.size > 0 ? (values.at(0) as string) : '';
}

/** At most so many bytes. */
function truncate(text: string, length: bigint): string {
  const bytes = Buffer.from(text);
  if (length < 0n) throw new EvaluationError(`internal error: runtime error: slice bounds out of range [:${length}]`);
  return length >= BigInt(bytes.length) ? text : bytes.subarray(0, Number(length)).toString();
}

function parse(name: string, read: (text: string) => JsonMap): (text: string) => Value {
  return (text) => {
    try {
      return eventValue(read(text));
    } catch (error) {
      throw new EvaluationError(`failed to decode '${text}' in ${name}: ${(error as Error).message}`);
    }
  };
}

function yamlMap(text: string): JsonMap {
  const value = parseYaml(text)[0]?.value;
  try {
    return unmarshalMap(JSON.stringify(value ?? null));
  } catch (error) {
    throw new Error(`error unmarshaling JSON: while decoding JSON: ${(error as Error).message}`, { cause: error });
  }
}

function urlMap(text: string): JsonMap {
  const url = parseUrlReference(text);
  if (typeof url === 'string') throw new Error(`parse ${quoteGo(text)}: ${url}`);
  const { scheme, host, path, rawQuery, fragment, user } = url;
  const query = [...parseQuery(rawQuery)];
  return {
    scheme,
    host,
    path,
    rawQuery,
    fragment,
    queryStrings: Object.fromEntries(query),
    query: Object.fromEntries(query.map(([name, values]) => [name, values.join(',')])),
    ...(user ? { auth: { username: user.name, password: user.password } } : {}),
  };
}

function marshal(value: Value): string {
  return goJson(jsonOfValue(value));
}

function translate(text: string, pattern: string, replacement: string): string {
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string')
    throw new EvaluationError(`failed to parse regular expression for translation: ${compiled}`);
  return replaceMatches(compiled, text, replacement);
}
