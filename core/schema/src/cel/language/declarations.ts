import type { CelType } from './type.ts';
import type { Value } from './value.ts';

/** One way to call a function. */
export interface Overload {
  readonly id: string;
  /** Whether the first parameter stands before the dot. */
  readonly isMethod: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** The checker does not accept a call for its sake; values of dynamic type may still have it. */
  readonly isRuntimeOnly?: boolean;
  /** Absent for the few the language evaluates itself. */
  readonly call?: (...args: never[]) => Value;
}

/** Functions by name, each with its overloads in order. */
export type Declarations = ReadonlyMap<string, readonly Overload[]>;

/** Libraries put together; overloads of the same function add up. */
export function joinDeclarations(...libraries: readonly (readonly FunctionDeclaration[])[]): Declarations {
  const joined = new Map<string, readonly Overload[]>();
  for (const { name, overloads } of libraries.flat()) joined.set(name, [...(joined.get(name) ?? []), ...overloads]);
  return joined;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

type Call = (...args: never[]) => Value;

/** `name(params) -> result`. */
export function overload(id: string, params: readonly CelType[], result: CelType, call?: Call): Overload {
  return { id, isMethod: false, params, result, ...(call ? { call } : {}) };
}

/** `params[0].name(params[1...]) -> result`. */
export function method(id: string, params: readonly CelType[], result: CelType, call?: Call): Overload {
  return { id, isMethod: true, params, result, ...(call ? { call } : {}) };
}

export function declare(name: string, ...overloads: Overload[]): FunctionDeclaration {
  return { name, overloads };
}
