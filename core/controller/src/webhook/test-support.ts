import type { JsonPatchOperation } from '@tektite/client';
import { cloneJson } from '@tektite/meta';

type Container = Record<string, unknown> | unknown[];

/** Applies `add`, `remove` and `replace` as RFC 6902 says, to a copy; throws where a patch does not fit. */
export function applyOperations(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const root = { '': cloneJson(document) as unknown };
  for (const operation of operations) {
    const parts = operation.path.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = parts.pop() as string;
    let target: Container = root;
    for (const part of parts) target = (target as Record<string, unknown>)[part] as Container;
    applyOne(target, last, operation);
  }
  return root[''];
}

function applyOne(target: Container, key: string, operation: JsonPatchOperation): void {
  const value = cloneJson('value' in operation ? operation.value : undefined) as unknown;
  if (Array.isArray(target)) {
    const at = Number(key);
    if (at > target.length || (operation.op !== 'add' && at === target.length)) throw new Error(`no element ${key}`);
    if (operation.op === 'add') target.splice(at, 0, value);
    else if (operation.op === 'remove') target.splice(at, 1);
    else target[at] = value;
    return;
  }
  if (operation.op !== 'add' && !Object.hasOwn(target, key)) throw new Error(`no field ${key}`);
  if (operation.op === 'remove') delete target[key];
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
