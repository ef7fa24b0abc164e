import { badRequestError, cloneJson, equalJson, requestEntityTooLargeError, StatusError } from '@tektite/meta';

/** One operation of a JSON Patch (RFC 6902). */
interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Upstream's limit on the number of operations in one patch. */
const maxOperations = 10_000;

/**
 * Applies a JSON Patch and returns the result; the document is not changed.
 *
 * Upstream does not tell the client which operation failed, only that one did; so do we.
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  const operations = readOperations(patch);
  let result: unknown = cloneJson(document);
  for (const operation of operations) result = applyOperation(result, operation);
  return result;
}

function readOperations(patch: unknown): readonly Operation[] {
  if (!Array.isArray(patch)) {
    const type = patch === null ? 'null' : typeof patch === 'object' ? 'object' : typeof patch;
    throw badRequestError(`error decoding patch: json: cannot unmarshal ${type} into Go value of type jsonpatch.Patch`);
  }
  if (patch.length > maxOperations) {
    throw requestEntityTooLargeError(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  return patch as Operation[];
}

function failed(): StatusError {
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });
}

function applyOperation(document: unknown, operation: Operation): unknown {
  if (typeof operation !== 'object' || operation === null || typeof operation.path !== 'string') throw failed();
  const { op, path } = operation;
  switch (op) {
    case 'add':
      return put(document, path, required(operation), 'add');
    case 'replace':
      return put(document, path, required(operation), 'replace');
    case 'remove':
      return remove(document, path);
    case 'move': {
      const value = read(document, source(operation));
      return put(remove(document, source(operation)), path, value, 'add');
    }
    case 'copy':
      return put(document, path, cloneJson(read(document, source(operation))), 'add');
    case 'test':
      if (!equalJson(tryRead(document, path) ?? null, operation.value ?? null)) throw failed();
      return document;
    default:
      throw failed();
  }
}

function required(operation: Operation): unknown {
  if (!Object.hasOwn(operation, 'value')) throw failed();
  return cloneJson(operation.value);
}

function source({ from }: Operation): string {
  if (typeof from !== 'string') throw failed();
  return from;
}

function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw failed();
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What a token names inside a container; `undefined` when there is nothing. */
function step(container: unknown, token: string): unknown {
  if (Array.isArray(container)) return container[arrayIndex(container, token, container.length - 1)];
  if (typeof container === 'object' && container !== null && Object.hasOwn(container, token)) {
    return (container as Record<string, unknown>)[token];
  }
  return undefined;
}

/** Negative indices count from the end, as the library upstream uses allows. */
function arrayIndex(list: readonly unknown[], token: string, last: number): number {
  if (!/^-?(?:0|[1-9][0-9]*)$/.test(token)) throw failed();
  const index = Number(token);
  const at = index < 0 ? index + list.length : index;
  if (at < 0 || at > last) throw failed();
  return at;
}

function read(document: unknown, pointer: string): unknown {
  const value = tryRead(document, pointer);
  if (value === undefined) throw failed();
  return value;
}

function tryRead(document: unknown, pointer: string): unknown {
  return parsePointer(pointer).reduce(step, document);
}

function parentOf(document: unknown, tokens: readonly string[]): object {
  const parent = tokens.slice(0, -1).reduce(step, document);
  if (typeof parent !== 'object' || parent === null) throw failed();
  return parent;
}

function put(document: unknown, pointer: string, value: unknown, mode: 'add' | 'replace'): unknown {
  const tokens = parsePointer(pointer);
  const last = tokens.at(-1);
  if (last === undefined) return value;
  const parent = parentOf(document, tokens);
  if (Array.isArray(parent)) {
    if (mode === 'replace') parent[arrayIndex(parent, last, parent.length - 1)] = value;
    else parent.splice(last === '-' ? parent.length : arrayIndex(parent, last, parent.length), 0, value);
    return document;
  }
  if (mode === 'replace' && !Object.hasOwn(parent, last)) throw failed();
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  return document;
}

function remove(document: unknown, pointer: string): unknown {
  const tokens = parsePointer(pointer);
  const last = tokens.at(-1);
  if (last === undefined) throw failed();
  const parent = parentOf(document, tokens);
  if (Array.isArray(parent)) {
    parent.splice(arrayIndex(parent, last, parent.length - 1), 1);
  } else {
    if (!Object.hasOwn(parent, last)) throw failed();
    delete (parent as Record<string, unknown>)[last];
  }
  return document;
}
