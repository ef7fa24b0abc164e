import { formatYaml } from '@tektite/schema/yaml';
import { encodeJson } from '../codec/encoded-json.ts';
import { RecentEncodings } from '../codec/recent-encodings.ts';
import type { WatchEvent } from '../request/api-response.ts';

/** Lines of the latest events: one that waits for many slow watchers is held once. */
const recent = {
  ADDED: new RecentEncodings<Buffer>(64, 4 * 1024 * 1024),
  MODIFIED: new RecentEncodings<Buffer>(64, 4 * 1024 * 1024),
  DELETED: new RecentEncodings<Buffer>(64, 4 * 1024 * 1024),
};

/** One event of a watch, as a line. */
export function encodeEvent(event: WatchEvent, media: 'json' | 'yaml'): string {
  if (media === 'yaml') return `---\n${formatYaml(event)}`;
  return `{"type":"${event.type}","object":${encodeJson(event.object)}}\n`;
}

/** The same line for all watchers of an event. */
export function encodeSharedEvent(event: WatchEvent, media: 'json' | 'yaml'): Buffer {
  const { type, object } = event;
  if (media === 'yaml' || type === 'BOOKMARK' || type === 'ERROR' || !Object.isFrozen(object))
    return Buffer.from(encodeEvent(event, media));
  let line = recent[type].get(object);
  if (!line) {
    line = Buffer.from(encodeEvent(event, media));
    recent[type].set(object, line);
  }
  return line;
}
