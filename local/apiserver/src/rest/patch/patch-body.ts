import { decodeJson, duplicateFields, jsonTypeName, mismatchText } from '@tektite/go';
import { badRequestError, isStatusError, parseJson } from '@tektite/meta';
import { parseYaml, strictYamlError } from '@tektite/schema/yaml';
import type { PatchType } from './patch-type.ts';

/** A decoded patch, with the errors of strict decoding. */
export interface PatchBody {
  readonly value: unknown;
  readonly strictErrors: readonly string[];
}

/** The Go type that objects are decoded into. */
const anyMap = 'map[string]interface {}';

const operationFields = new Set(['op', 'path', 'from', 'value']);

/** Reads the body of a PATCH. In-process callers hand in the patch itself. */
export function readPatchBody(body: Uint8Array | object, type: PatchType): PatchBody {
  if (!(body instanceof Uint8Array))
    return { value: body, strictErrors: type === 'json' ? unknownOperationFields(body) : [] };
  if (type === 'apply') return readConfiguration(body);
  const { value, duplicates } = readJson(body, type === 'strategic' ? '' : 'error decoding patch: ');
  if (type === 'json') {
    if (value === null) return { value: [], strictErrors: [] };
    return {
      value,
      strictErrors: [...unknownOperationFields(value), ...duplicates.map((path) => `json patch ${path}`)],
    };
  }
  // Go reads `null` as a map without entries, except where the library of merge patches looks first.
  if (value === null && type === 'merge') throw badRequestError('Invalid JSON Patch');
  if (value === null) return { value: {}, strictErrors: [] };
  if (typeof value !== 'object' || Array.isArray(value)) {
    const mismatch = mismatchText(jsonTypeName(value), anyMap);
    throw badRequestError(`${type === 'strategic' ? '' : 'error decoding patch: '}${mismatch}`);
  }
  return { value, strictErrors: duplicates };
}

function unknownOperationFields(patch: unknown): string[] {
  if (!Array.isArray(patch)) return [];
  return patch.flatMap((operation: unknown, index) =>
    typeof operation === 'object' && operation !== null
      ? Object.keys(operation)
          .filter((field) => !operationFields.has(field))
          .map((field) => `json patch unknown field "[${index}].${field}"`)
      : [],
  );
}

function readJson(body: Uint8Array, words: string): { value: unknown; duplicates: readonly string[] } {
  try {
    const document = decodeJson(body);
    const value = document.hasNumberTexts ? parseJson(new TextDecoder().decode(body)) : document.value;
    return { value, duplicates: duplicateFields(document) };
  } catch (error) {
    throw badRequestError(`${words}${(error as Error).message}`);
  }
}

/** A configuration may be YAML, but nearly all of them are JSON, which is read many times faster. */
function readConfiguration(body: Uint8Array): PatchBody {
  if (body[0] === openBrace) {
    try {
      const document = decodeJson(body);
      if (!document.duplicates) return { value: document.value, strictErrors: [] };
    } catch {
      // Flow mappings of YAML start the same way.
    }
  }
  return readYaml(new TextDecoder().decode(body));
}

const openBrace = 0x7b;

function readYaml(text: string): PatchBody {
  try {
    const [document] = parseYaml(text);
    const strictError = document && strictYamlError(document);
    return {
      value: configurationOf(document?.value),
      strictErrors: strictError ? [`error converting YAML to JSON: ${strictError}`] : [],
    };
  } catch (error) {
    if (isStatusError(error)) throw error;
    throw badRequestError(`error decoding YAML: error converting YAML to JSON: ${(error as Error).message}`);
  }
}

/** Nothing is a configuration of nothing; a list or a word is none. */
function configurationOf(value: unknown): unknown {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  const mismatch = mismatchText(jsonTypeName(value), anyMap);
  throw badRequestError(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${mismatch}`);
}
