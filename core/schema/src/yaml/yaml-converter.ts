import { setOwn } from '@tektite/meta';
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import { resolveScalar, type YamlScalar } from './resolve-scalar.ts';
import { type Place, YamlError } from './yaml-error.ts';

/** How deep values may be nested; the same bound as for JSON bodies. */
const maxDepth = 1000;

/** A key that a mapping has twice, as strict reading reports it. */
export interface DuplicateKey {
  /** The line of the second value. */
  readonly line: number;
  readonly key: string;
}

/**
 * Turns the nodes of one document into JSON, by the rules of YAML 1.1: merge keys, aliases, keys that are no strings.
 *
 * Aliases may multiply a small text into a large value; upstream's limit on that is kept.
 */
export class YamlConverter {
  readonly duplicateKeys: DuplicateKey[] = [];
  private readonly targets: ReadonlyMap<Alias, Node>;
  private readonly placeOf: (offset: number) => Place;
  private readonly open = new Set<Node>();
  private decoded = 0;
  private decodedFromAliases = 0;
  private aliasDepth = 0;
  private depth = 0;

  constructor(targets: ReadonlyMap<Alias, Node>, placeOf: (offset: number) => Place) {
    this.targets = targets;
    this.placeOf = placeOf;
  }

  convert(node: Node | null | undefined): unknown {
    this.count();
    if (!node) return null;
    if (isAlias(node)) return this.convertAlias(node, (target) => this.convert(target));
    if (isScalar(node)) return this.convertScalar(node);
    if (++this.depth > maxDepth) throw new YamlError('yaml: exceeded max depth', this.placeOfNode(node));
    const value = isMap(node)
      ? this.convertMap(node)
      : isSeq(node)
        ? node.items.map((item) => this.convert(item as Node))
        : null;
    this.depth--;
    return value;
  }

  /** By upstream's measure: the more of a large document comes from aliases, the sooner it is refused. */
  private count(): void {
    this.decoded++;
    if (this.aliasDepth > 0) this.decodedFromAliases++;
    if (this.decodedFromAliases <= 100 || this.decoded <= 1000) return;
    const beyond = Math.min(Math.max(this.decoded - 400_000, 0) / 3_600_000, 1);
    if (this.decodedFromAliases / this.decoded > 0.99 - 0.89 * beyond) {
      throw new YamlError('yaml: document contains excessive aliasing');
    }
  }

  private convertAlias<T>(alias: Alias, convert: (target: Node) => T): T {
    const target = this.targets.get(alias);
    if (!target) throw new YamlError(`yaml: unknown anchor '${alias.source}' referenced`, this.placeOfNode(alias));
    if (this.open.has(target)) {
      throw new YamlError(`yaml: anchor '${alias.source}' value contains itself`, this.placeOfNode(alias));
    }
    this.open.add(target);
    this.aliasDepth++;
    const value = convert(target);
    this.aliasDepth--;
    this.open.delete(target);
    return value;
  }

  private convertScalar(node: Scalar): YamlScalar {
    const value = this.resolve(node);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
      throw new YamlError(`json: unsupported value: ${name}`, this.placeOfNode(node));
    }
    return value;
  }

  private resolve(node: Scalar): YamlScalar {
    const isPlain = node.type === 'PLAIN' || node.type === undefined;
    const text = typeof node.value === 'string' ? node.value : '';
    const tag = node.tag?.replace('tag:yaml.org,2002:', '!!') ?? '';
    // The parser has decoded binary values.
    if (node.value instanceof Uint8Array) return Buffer.from(node.value).toString('utf8');
    if (tag === '!!str' || (tag === '' && !isPlain) || (tag !== '' && !resolvedTags.has(tag))) return text;
    const value = resolveScalar(text);
    if (tag === '' || matchesTag(value, tag)) return value;
    throw new YamlError(`yaml: cannot decode ${tagOf(value)} \`${text}\` as a ${tag}`, this.placeOfNode(node));
  }

  private convertMap(node: YAMLMap): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.mergeInto(result, node);
    return result;
  }

  /** In order: a key overrides what was merged before it, and is overridden by what is merged after it. */
  private mergeInto(target: Record<string, unknown>, node: YAMLMap): void {
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      if (isMergeKey(pair.key)) {
        this.merge(target, pair.value);
        continue;
      }
      const key = this.convertKey(pair.key);
      const value = this.convert(pair.value);
      if (Object.hasOwn(target, key))
        this.duplicateKeys.push({ key: this.quoteKey(pair.key), line: this.lineOf(pair) });
      setOwn(target, key, value);
    }
  }

  private merge(target: Record<string, unknown>, node: Node | null): void {
    // Earlier maps of a list win, so they are merged last.
    const sources = isSeq(node) ? [...(node.items as Node[])].reverse() : [node];
    for (const source of sources) {
      const fill = (map: Node | null): void => {
        if (!isMap(map)) throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
        this.count();
        this.mergeInto(target, map);
      };
      if (isAlias(source)) this.convertAlias(source, fill);
      else fill(source);
    }
  }

  private convertKey(node: Node | null): string {
    const key = isAlias(node) ? this.convertAlias(node, (target) => this.convert(target)) : this.convert(node);
    if (key === null) {
      throw new YamlError('unsupported map key of type: %!s(<nil>), key: <nil>', this.placeOfNode(node));
    }
    if (typeof key === 'string') return key;
    if (typeof key === 'number') return formatKeyNumber(key);
    if (typeof key === 'boolean' || typeof key === 'bigint') return String(key);
    throw new YamlError('yaml: invalid map key: a key must be a scalar', this.placeOfNode(node));
  }

  private quoteKey(node: Node): string {
    const key = this.convert(node);
    return typeof key === 'string' ? JSON.stringify(key) : String(key);
  }

  private lineOf({ key, value }: Pair<Node, Node | null>): number {
    return this.placeOfNode(value ?? key)?.line ?? 0;
  }

  private placeOfNode(node: Node | null): Place | undefined {
    return node?.range ? this.placeOf(node.range[0]) : undefined;
  }
}

const resolvedTags = new Set(['!!bool', '!!int', '!!float', '!!null', '!!timestamp']);

function tagOf(value: YamlScalar): string {
  if (value === null) return '!!null';
  if (typeof value === 'string') return '!!str';
  if (typeof value === 'boolean') return '!!bool';
  return typeof value === 'bigint' || Number.isInteger(value) ? '!!int' : '!!float';
}

function matchesTag(value: YamlScalar, tag: string): boolean {
  return tagOf(value) === tag || (tag === '!!float' && tagOf(value) === '!!int') || tag === '!!timestamp';
}

export function isMergeKey(node: unknown): boolean {
  return isScalar(node) && node.value === '<<' && (node.type === 'PLAIN' || node.tag === 'tag:yaml.org,2002:merge');
}

/** Upstream prints keys that are numbers with the precision of 32 bits. */
function formatKeyNumber(key: number): string {
  return Number.isInteger(key) ? String(key) : String(Number(Math.fround(key).toPrecision(7)));
}
