import { badRequestError } from '@tektite/meta';
import { parseYaml } from '@tektite/schema';
import { parseJson } from '../codec/decode-json.ts';
import type { PatchType } from './patch.ts';

/** A patch as read, with what strict reading complains of. */
export interface PatchBody {
  readonly value: unknown;
  readonly complaints: readonly string[];
}

const operationFields = new Set(['op', 'path', 'from', 'value']);

/** Reads the body of a PATCH. In-process callers hand in the patch itself. */
export function readPatchBody(body: Uint8Array | object, type: PatchType): PatchBody {
  if (!(body instanceof Uint8Array))
    return { value: body, complaints: type === 'json' ? unknownOperationFields(body) : [] };
  const text = new TextDecoder().decode(body);
  if (type === 'apply') return readYaml(text);
  const { value, duplicates } = readJson(text);
  if (type === 'json') {
    return { value, complaints: [...unknownOperationFields(value), ...duplicates.map((path) => `json patch ${path}`)] };
  }
  if (value === null)
    throw badRequestError(type === 'merge' ? 'Invalid JSON Patch' : 'error decoding patch: unexpected null');
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw badRequestError(
      `error decoding patch: json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type map[string]interface {}`,
    );
  }
  return { value, complaints: duplicates };
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

function readJson(text: string): { value: unknown; duplicates: readonly string[] } {
  try {
    return parseJson(text);
  } catch (error) {
    throw badRequestError(`error decoding patch: ${(error as Error).message}`);
  }
}

function readYaml(text: string): PatchBody {
  try {
    const [document] = parseYaml(text);
    return { value: document?.value, complaints: [] };
  } catch (error) {
    throw badRequestError(`error decoding YAML: ${(error as Error).message}`);
  }
}
