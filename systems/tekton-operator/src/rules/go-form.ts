/**
 * How a Go struct prints its fields. Upstream's webhook reads an object into structs and prints them again, so objects
 * come out with fields that were not in the input (`options: {}`) and without those that are empty.
 */
export interface GoForm {
  /** Fields that are structs themselves: always printed. */
  readonly structs?: Readonly<Record<string, GoForm>>;
  /** Fields that are pointers to structs: printed when they are there. */
  readonly pointers?: Readonly<Record<string, GoForm>>;
  /** Fields that are printed even when they are zero, and their zero. */
  readonly always?: Readonly<Record<string, unknown>>;
  /** Fields that are plain booleans: `false` is not printed. */
  readonly flags?: readonly string[];
  /** Fields that are pointers to texts: an empty text is printed. */
  readonly texts?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** The value as it comes out of Go. The same value for the same input: what was printed once does not change again. */
export function printedByGo<T>(value: T | undefined, form: GoForm): T {
  const { structs = {}, pointers = {}, always = {}, flags = [], texts = [] } = form;
  const printed: [string, unknown][] = [];
  const fields = (value ?? {}) as Fields;
  for (const key of Object.keys(fields)) {
    const item = fields[key];
    if (item === undefined || item === null || Object.hasOwn(structs, key)) continue;
    if (Object.hasOwn(pointers, key)) printed.push([key, printedByGo(item, pointers[key] as GoForm)]);
    else if (Object.hasOwn(always, key) || texts.includes(key) || !isZero(item, flags.includes(key)))
      printed.push([key, item]);
  }
  for (const key of Object.keys(structs))
    printed.push([key, printedByGo(Object.hasOwn(fields, key) ? fields[key] : undefined, structs[key] as GoForm)]);
  for (const key of Object.keys(always)) if (!printed.some(([name]) => name === key)) printed.push([key, always[key]]);
  return Object.fromEntries(printed) as T;
}

function isZero(value: unknown, isFlag: boolean): boolean {
  if (value === '') return true;
  if (value === false) return isFlag;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
