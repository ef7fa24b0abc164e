import { jsonTypeName, mismatchText } from '@tektite/go';
import {
  badRequestError,
  cloneJson,
  equalJson,
  requestEntityTooLargeError,
  StatusError,
  setOwn,
  stringifyJson,
} from '@tektite/meta';

/** One operation of a JSON Patch (RFC 6902). */
interface Operation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

type Container = Record<string, unknown> | unknown[];

/** Deeper documents exceed the stack of a recursive walk. */
const maxDepth = 1000;
/** Upstream's limit on the number of operations in one patch. */
const maxOperations = 10_000;
/** Upstream's limit on what `copy` operations may add together; without one, a few dozen of them fill any memory. */
const maxCopiedBytes = 3 * 1024 * 1024;

/**
 * Applies a JSON Patch and returns the result; the document is not changed.
 *
 * Follows the library that upstream uses where that differs from the RFC: `replace` sets a key that is not there,
 * `copy` of a missing key and `add` without a value give null, and negative indexes count from the end.
 *
 * Throws a StatusError. Like upstream, it does not name the failed operation in its message. The cause names it, for
 * callers that patch on behalf of others.
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  const operations = readOperations(patch);
  let result: unknown = cloneJson(document);
  const budget = { left: maxCopiedBytes };
  for (const operation of operations) result = applyOperation(result, operation, budget);
  return result;
}

/** How much may still be copied. */
interface CopyBudget {
  left: number;
}

function readOperations(patch: unknown): readonly Operation[] {
  if (!Array.isArray(patch)) throw undecodable(patch, '[]handlers.jsonPatchOp');
  const wrong: unknown = patch.find((operation) => typeof operation !== 'object' || Array.isArray(operation));
  if (wrong !== undefined) throw undecodable(wrong, 'handlers.jsonPatchOp');
  if (patch.length > maxOperations) {
    throw requestEntityTooLargeError(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  return patch as Operation[];
}

function undecodable(value: unknown, type: string): StatusError {
  return badRequestError(`error decoding patch: ${mismatchText(jsonTypeName(value), type)}`);
}

function failed(reason: string): StatusError {
  return new StatusError(
    {
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    },
    { cause: new Error(reason) },
  );
}

function applyOperation(document: unknown, operation: Operation | null, budget: CopyBudget): unknown {
  const { op, value } = operation ?? {};
  switch (op) {
    case 'add':
      return add(document, pathOf(operation, 'add'), cloneJson(value ?? null));
    case 'replace':
      return replace(document, pathOf(operation, 'replace'), cloneJson(value ?? null));
    case 'remove':
      return remove(document, pathOf(operation, 'remove'));
    case 'move':
      return move(document, operation as Operation);
    case 'copy':
      return copy(document, operation as Operation, budget);
    case 'test':
      return test(document, pathOf(operation, 'test'), value ?? null);
    default:
      throw failed(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
  }
}

function pathOf(operation: Operation | null, name: string): string {
  const path = operation?.path;
  if (typeof path !== 'string') throw failed(`${name} operation failed to decode path: missing value`);
  return path;
}

function fromOf({ from }: Operation, name: string): string {
  if (typeof from !== 'string')
    throw failed(`${name} operation failed to decode from: operation, missing from field: missing value`);
  return from;
}

/** The container that holds what a path names, and the last key; `undefined` when there is no such container. */
function locate(document: unknown, path: string): { readonly container: Container; readonly key: string } | undefined {
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = segments.pop();
  if (key === undefined) return undefined;
  let container = document;
  for (const segment of segments) {
    try {
      container = get(container as Container, segment);
    } catch {
      return undefined;
    }
    if (typeof container !== 'object' || container === null) return undefined;
  }
  return { container: container as Container, key };
}

/** The value of a key in a container; null when an object does not have it. */
function get(container: Container, key: string): unknown {
  if (Array.isArray(container)) return container[arrayIndex(key, container.length, container.length - 1)];
  return Object.hasOwn(container, key) ? (container[key] ?? null) : null;
}

/** `size` is what negative indexes count back from, `last` the highest index that is there. */
function arrayIndex(key: string, size: number, last: number): number {
  if (!/^[+-]?[0-9]+$/.test(key)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
  const index = Number(key);
  if (index > last || index < -size)
    throw new Error(`Unable to access invalid index: ${index}: invalid index referenced`);
  return index < 0 ? index + size : index;
}

/** Operations could build, step by step, what no body may bring: an object too deep to be walked. */
function checkDepth(path: string, value: unknown): void {
  const start = path.split('/').length - 1;
  const rest: [value: unknown, depth: number][] = [[value, start]];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const [current, depth] = next;
    if (typeof current !== 'object' || current === null) continue;
    if (depth >= maxDepth) throw failed('exceeded max depth');
    for (const child of Object.values(current)) rest.push([child, depth + 1]);
  }
}

function insert(container: Container, key: string, value: unknown): void {
  if (!Array.isArray(container)) setOwn(container, key, value);
  else if (key === '-') container.push(value);
  else if (/^[+-]?[0-9]+$/.test(key))
    container.splice(arrayIndex(key, container.length + 1, container.length), 0, value);
  else
    throw new Error(
      `value was not a proper array index: '${key}': strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`,
    );
}

function take(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(arrayIndex(key, container.length, container.length - 1), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw new Error(`Unable to remove nonexistent key: ${key}: missing value`);
}

/** Runs a step and prefixes its error with the context. */
function attempt<T>(context: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw failed(`${context}: ${(error as Error).message}`);
  }
}

function add(document: unknown, path: string, value: unknown): unknown {
  checkDepth(path, value);
  const at = locate(document, path);
  if (!at) throw failed(`add operation does not apply: doc is missing path: "${path}": missing value`);
  attempt(`error in add for path: '${path}'`, () => insert(at.container, at.key, value));
  return document;
}

function replace(document: unknown, path: string, value: unknown): unknown {
  if (path === '') {
    if (typeof value !== 'object' || value === null)
      throw failed('replace operation value must be object or array: %!w(<nil>)');
    return value;
  }
  checkDepth(path, value);
  const at = locate(document, path);
  if (!at) throw failed(`replace operation does not apply: doc is missing path: ${path}: missing value`);
  const { container, key } = at;
  if (!Array.isArray(container)) setOwn(container, key, value);
  else {
    try {
      container[arrayIndex(key, container.length, container.length - 1)] = value;
    } catch {
      throw failed(`replace operation does not apply: doc is missing key: ${path}: missing value`);
    }
  }
  return document;
}

function remove(document: unknown, path: string): unknown {
  const at = locate(document, path);
  if (!at) throw failed(`remove operation does not apply: doc is missing path: "${path}": missing value`);
  attempt(`error in remove for path: '${path}'`, () => take(at.container, at.key));
  return document;
}

function move(document: unknown, operation: Operation): unknown {
  const from = fromOf(operation, 'move');
  const source = locate(document, from);
  if (!source) throw failed(`move operation does not apply: doc is missing from path: ${from}: missing value`);
  const value = attempt(`error in move for path: '${source.key}'`, () => {
    const found = get(source.container, source.key);
    take(source.container, source.key);
    return found;
  });
  const path = pathOf(operation, 'move');
  checkDepth(path, value);
  const target = locate(document, path);
  if (!target) throw failed(`move operation does not apply: doc is missing destination path: ${path}: missing value`);
  attempt(`error in move for path: '${path}'`, () => insert(target.container, target.key, value));
  return document;
}

function copy(document: unknown, operation: Operation, budget: CopyBudget): unknown {
  const from = fromOf(operation, 'copy');
  const source = locate(document, from);
  if (!source) throw failed(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
  const found = attempt(`error in copy for from: '${from}'`, () => get(source.container, source.key));
  budget.left -= stringifyJson(found).length;
  if (budget.left < 0)
    throw failed(
      `Unable to complete the copy, the accumulated size increase of copy is ${maxCopiedBytes - budget.left}, exceeding the limit ${maxCopiedBytes}`,
    );
  const value = cloneJson(found);
  const path = pathOf(operation, 'copy');
  checkDepth(path, value);
  const target = locate(document, path);
  if (!target) throw failed(`copy operation does not apply: doc is missing destination path: ${path}: missing value`);
  attempt('error while adding value during copy', () => insert(target.container, target.key, value));
  return document;
}

function test(document: unknown, path: string, wanted: unknown): unknown {
  if (path !== '') {
    const at = locate(document, path);
    if (!at) throw failed(`test operation does not apply: is missing path: ${path}: missing value`);
    const found = attempt(`error in test for path: '${path}'`, () => get(at.container, at.key));
    if (equalJson(found, wanted)) return document;
  } else if (equalJson(document, wanted)) return document;
  throw failed(`testing value ${path} failed: test failed`);
}
