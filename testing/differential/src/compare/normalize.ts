import type { Answer } from '../operation.ts';

/** Headers that clients act on. */
const comparedHeaders = ['content-type', 'warning', 'retry-after', 'allow', 'location'];

/** UUIDs, clusterIPs and the suffix of a generated name, wherever they stand in a text. */
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const generatedName = /\bgenerated-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
const clusterAddress = /\b10\.96\.\d+\.\d+\b/g;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const versionInText = /(resource ?version[^0-9]{0,12}|, current: )\d+/gi;

/**
 * Replaces what two servers may rightly answer differently. Identities (uids, resourceVersions, generated names,
 * addresses) become ordinals in the order in which the server gave them: an object must keep its uid, and an update
 * without effect its resourceVersion. One normalizer serves one sequence on one server.
 */
export class Normalizer {
  private readonly ordinals = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private readonly namespace: string;

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  normalize({ code, headers, body }: Answer): Answer {
    const kept = comparedHeaders.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, this.text(value)]];
    });
    return { code, headers: Object.fromEntries(kept) as Record<string, string>, body: this.value(body, '') };
  }

  private value(value: unknown, key: string, isListMeta = false): unknown {
    if (typeof value === 'string') return this.string(value, key, isListMeta);
    if (typeof value === 'number' && /nodePort$/i.test(key) && value >= 30_000 && value <= 32_767)
      return this.ordinal('port', String(value));
    if (Array.isArray(value)) {
      const items = value.map((each) => this.value(each, key));
      return key === 'managedFields' ? items.sort(byText) : items;
    }
    if (typeof value !== 'object' || value === null) return value;
    return this.object(value as Record<string, unknown>);
  }

  private object(object: Record<string, unknown>): Record<string, unknown> {
    const isList = 'items' in object || object.kind === 'Table';
    const result: Record<string, unknown> = {};
    // The identity first: the order of fields on the wire is not compared, and must not decide the ordinals.
    for (const key of Object.keys(object).sort())
      result[this.text(key)] = key === 'metadata' && isList ? this.listMeta(object[key]) : this.value(object[key], key);
    return result;
  }

  private listMeta(metadata: unknown): unknown {
    if (typeof metadata !== 'object' || metadata === null) return metadata;
    const entries = Object.entries(metadata).map(([key, value]) => [key, this.value(value, key, true)]);
    return Object.fromEntries(entries);
  }

  private string(value: string, key: string, isListMeta: boolean): unknown {
    if (key === 'resourceVersion' && /^\d+$/.test(value))
      return isListMeta ? '<list version>' : value === '0' ? value : this.ordinal('version', value);
    if (key === 'continue' && value !== '') return '<continue>';
    if (time.test(value)) return value.includes('.') ? '<microtime>' : '<time>';
    if (key === 'token') return '<token>';
    return this.text(value);
  }

  private text(value: string): string {
    return value
      .replaceAll(this.namespace, '{{ns}}')
      .replaceAll(uid, (found) => this.ordinal('uid', found))
      .replaceAll(generatedName, (found) => this.ordinal('name', found))
      .replaceAll(clusterAddress, (found) => this.ordinal('address', found))
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
      .replaceAll(versionInText, '$1<version>');
  }

  private ordinal(kind: string, value: string): string {
    const known = this.ordinals.get(`${kind} ${value}`);
    if (known !== undefined) return known;
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    const name = `<${kind} ${count}>`;
    this.ordinals.set(`${kind} ${value}`, name);
    return name;
  }
}

function byText(left: unknown, right: unknown): number {
  const [a, b] = [JSON.stringify(left), JSON.stringify(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}
