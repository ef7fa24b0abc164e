import { formatYaml } from '@tektite/schema/yaml';
import { encodeJson } from '../codec/encoded-json.ts';
import { encodeProtobufEvent, type Kinded } from '../codec/encode-protobuf.ts';
import { RecentEncodings } from '../codec/recent-encodings.ts';
import type { Media, WatchEvent } from '../request/api-response.ts';

type Shared = 'ADDED' | 'MODIFIED' | 'DELETED';

const recentOf = () => new RecentEncodings<Buffer>(64, 4 * 1024 * 1024);
const recentOfAll = () => ({ ADDED: recentOf(), MODIFIED: recentOf(), DELETED: recentOf() });

/** The latest events as they are sent: one that waits for many slow watchers is held once. */
const recent: Readonly<Record<'json' | 'protobuf', Record<Shared, RecentEncodings<Buffer>>>> = {
  json: recentOfAll(),
  protobuf: recentOfAll(),
};

/** One event of a watch: a line of JSON, a document of YAML, or a frame of protobuf. */
export function encodeEvent(event: WatchEvent, media: Media): string | Buffer {
  if (media === 'protobuf') return encodeProtobufEvent(event.type, event.object as Kinded);
  if (media === 'yaml') return `---\n${formatYaml(event)}`;
  return `{"type":"${event.type}","object":${event.json ?? encodeJson(event.object)}}\n`;
}

/** The same bytes for all watchers of an event. */
export function encodeSharedEvent(event: WatchEvent, media: Media): Buffer {
  const { type, object } = event;
  if (media === 'yaml' || type === 'BOOKMARK' || type === 'ERROR' || !Object.isFrozen(object))
    return asBuffer(encodeEvent(event, media));
  const encodings = recent[media][type];
  let bytes = encodings.get(object);
  if (!bytes) {
    bytes = asBuffer(encodeEvent(event, media));
    encodings.set(object, bytes);
  }
  return bytes;
}

function asBuffer(encoded: string | Buffer): Buffer {
  return typeof encoded === 'string' ? Buffer.from(encoded) : encoded;
}
