import { stringifyJson } from '@tektite/meta';
import { RecentEncodings } from './recent-encodings.ts';

/** An object is encoded once for the journal, its answer and all of its watchers. */
const recent = new RecentEncodings<string>(256, 8 * 1024 * 1024);

/** The JSON of a frozen object. Objects that may still change are encoded each time. */
export function encodeJson(object: object): string {
  if (!Object.isFrozen(object)) return stringifyJson(object);
  let text = recent.get(object);
  if (text === undefined) {
    text = stringifyJson(object);
    recent.set(object, text);
  }
  return text;
}
