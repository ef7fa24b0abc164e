/**
 * The path of a field inside an object, printed as Kubernetes prints it in validation messages:
 * `spec.containers[0].env[1].name`, `metadata.labels[app]`.
 *
 * @example
 * FieldPath.of('spec', 'containers').index(0).child('name').toString() // spec.containers[0].name
 */
export class FieldPath {
  private readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** The path of the whole object; prints as the empty string. */
  static readonly root: FieldPath = new FieldPath('');

  static of(...names: string[]): FieldPath {
    return FieldPath.root.child(...names);
  }

  child(...names: string[]): FieldPath {
    let text = this.text;
    for (const name of names) text = text === '' ? name : `${text}.${name}`;
    return new FieldPath(text);
  }

  index(index: number): FieldPath {
    return new FieldPath(`${this.text}[${index}]`);
  }

  /** An entry of a map, or an element of a list-map. */
  key(key: string): FieldPath {
    return new FieldPath(`${this.text}[${key}]`);
  }

  toString(): string {
    return this.text;
  }
}
