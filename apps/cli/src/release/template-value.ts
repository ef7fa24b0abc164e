/**
 * A value that a chart fills in: in the objects of a chart, strings such as `@@replicas@@` stand for values. One function makes the objects
 * of `tektite deploy`, with values, and those of the chart, with these.
 */
const pattern = /^@@([A-Za-z.]+)([?*]?)(\|quote)?@@$/;

/** Values that are groups of values; other objects are passed on as they are. */
const nested = new Set(['crds', 'autoInstall', 'leaderElection']);

/** Values whose leaves stand for themselves. */
export function placeholders<T extends object>(values: T, prefix = ''): T {
  const entries = Object.entries(values).map(([key, value]): [string, unknown] => {
    const path = `${prefix}${key}`;
    return [key, nested.has(key) ? placeholders(value as object, `${path}.`) : `@@${path}@@`];
  });
  return Object.fromEntries(entries) as T;
}

export interface TemplateValue {
  readonly path: string;
  /** `?`: the field is left out where the value is empty. `*`: an item for each of the value. */
  readonly mark: '' | '?' | '*';
  readonly isQuoted: boolean;
}

export function templateValue(text: unknown): TemplateValue | undefined {
  const [, path, mark = '', quoted] = (typeof text === 'string' && pattern.exec(text)) || [];
  return path === undefined ? undefined : { path, mark: mark as '' | '?' | '*', isQuoted: quoted !== undefined };
}

/** A number or flag as text: an argument of a program. */
export function asText(value: unknown): string {
  const found = templateValue(value);
  return found ? `@@${found.path}|quote@@` : String(value);
}

/** A field that is left out where its value is empty. */
export function unlessEmpty<K extends string>(key: K, value: unknown): { readonly [key in K]?: unknown } {
  const found = templateValue(value);
  if (found) return { [key]: `@@${found.path}?@@` } as never;
  return isEmpty(value) ? {} : ({ [key]: value } as never);
}

/** The items of a list, among others. */
export function itemsOf(value: readonly string[] | string): readonly string[] {
  const found = templateValue(value);
  return found ? [`@@${found.path}*@@`] : (value as readonly string[]);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
