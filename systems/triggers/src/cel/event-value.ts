import { type CelType, dynType, ListValue, mapType, MapValue, stringType, type Value } from '@tektite/schema';

const type = mapType(stringType, dynType);

class EventList extends ListValue {
  private readonly items: readonly unknown[];
  constructor(items: readonly unknown[]) {
    super();
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    return eventValue(this.items[index]);
  }
}

class EventMap extends MapValue {
  readonly type: CelType = type;
  private readonly json: Readonly<Record<string, unknown>>;
  constructor(json: Readonly<Record<string, unknown>>) {
    super();
    this.json = json;
  }
  get size(): number {
    return Object.keys(this.json).length;
  }
  find(key: Value): Value | undefined {
    return typeof key === 'string' && Object.hasOwn(this.json, key) ? eventValue(this.json[key]) : undefined;
  }
  keys(): Iterable<Value> {
    return Object.keys(this.json);
  }
}

/** JSON of an event as CEL sees it. All numbers are doubles, as Go reads them. Converted on access. */
export function eventValue(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (Array.isArray(json)) return new EventList(json);
  if (typeof json === 'object') return new EventMap(json as Readonly<Record<string, unknown>>);
  return json as string | number | boolean;
}
