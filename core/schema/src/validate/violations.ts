import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  quoteGo,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  stringifyJson,
} from '@tektite/meta';

/**
 * Collects the violations of one value. Most messages are those of the OpenAPI validator that Kubernetes uses; some of
 * them carry no path and are reported for the whole value (`<nil>` where the value has no path).
 */
export class Violations {
  readonly errors: FieldError[] = [];
  /** The text of each error, which also names its place: the same is not said twice. */
  private readonly texts: string[] = [];
  private readonly said = new Set<string>();
  private readonly base: FieldPath | undefined;

  constructor(base?: FieldPath) {
    this.base = base;
  }

  get count(): number {
    return this.errors.length;
  }

  /** Forgets all errors after the first `count`. */
  truncate(count: number): void {
    this.errors.length = count;
    for (const text of this.texts.splice(count)) this.said.delete(text);
  }

  /** An empty collection for the same value: to try something out. */
  fork(): Violations {
    return new Violations(this.base);
  }

  /** Adds what another collection for the same value has found. */
  merge(other: Violations): void {
    for (const [index, error] of other.errors.entries()) this.add(other.texts[index] as string, error);
  }

  private add(text: string, error: FieldError): void {
    if (this.said.has(text)) return;
    this.said.add(text);
    this.errors.push(error);
    this.texts.push(text);
  }

  /** The path of a field below the value; a dot at its start comes from maps at the root. */
  private at(path: string): FieldPath | string {
    const name = path.startsWith('.') ? path.slice(1) : path;
    if (name === '') return this.base ?? '<nil>';
    return this.base ? this.base.child(name) : name;
  }

  wrongType(path: string, expected: string, actual: string): void {
    const text = `${path} in body must be of type ${expected}: ${quoteGo(actual)}`;
    this.add(text, typeInvalid(this.at(path), actual, text));
  }

  missing(path: string): void {
    this.add(`${path} in body is required`, required(this.at(path)));
  }

  notInEnum(path: string, value: unknown, allowed: readonly unknown[]): void {
    const names = allowed.map((item) => (typeof item === 'string' ? item : stringifyJson(item)));
    this.add(`${path} in body should be one of ${names.join(' ')}`, notSupported(this.at(path), value, names));
  }

  tooLong(path: string, limit: number): void {
    this.add(`${path} in body should be at most ${limit} chars long`, tooLong(this.at(path), limit));
  }

  tooManyItems(path: string, count: number, limit: number): void {
    this.add(`${path} in body should have at most ${limit} items`, tooMany(this.at(path), count, limit));
  }

  tooManyProperties(path: string, count: number, limit: number): void {
    this.add(`${path} in body should have at most ${limit} properties`, tooMany(this.at(path), count, limit));
  }

  /** Any other broken keyword: `should match '...'`, `should be greater than 3`. */
  broken(path: string, value: unknown, words: string): void {
    const text = `${path} in body ${words}`;
    this.add(text, invalid(this.at(path), value, text));
  }

  /** A property where none may be; the error is the object's. */
  forbiddenProperty(path: string, key: string): void {
    const text = `${path}.${key} in body is a forbidden property`;
    this.add(text, invalid(this.at(path), key, text));
  }

  /** A factor that no number can be a multiple of. */
  unusableFactor(path: string, factor: number): void {
    const text = `factor MultipleOf declared for ${path} must be positive: ${factor}`;
    this.add(text, invalid(this.at(path), factor, text));
  }

  /** An error whose place only the message contains. */
  general(text: string): void {
    this.add(text, invalid(this.base ?? '<nil>', '', text));
  }
}
