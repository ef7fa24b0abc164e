/** An object of which nothing but its fields' names is known. */
export type Json = Readonly<Record<string, unknown>>;

/** The object with a field under another name, if it has it. */
export function rename(object: Json, from: string, to: string): Json {
  if (!Object.hasOwn(object, from)) return object;
  const { [from]: value, ...rest } = object;
  return { ...rest, [to]: value };
}

/** The object without fields. */
export function without(object: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** The object with a field changed, if it has it. */
export function change<T>(object: Json, name: string, apply: (value: T) => unknown): Json {
  return object[name] === undefined ? object : { ...object, [name]: apply(object[name] as T) };
}

/** The object with each item of a list changed, if it has the list. */
export function changeEach(object: Json, name: string, apply: (item: Json) => Json): Json {
  return change<readonly Json[]>(object, name, (list) => list.map(apply));
}
