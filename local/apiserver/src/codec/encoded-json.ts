/** The latest texts, so that an object is encoded once for the journal, its answer and all of its watchers. */
const recent = new Map<object, string>();
const maxRecent = 256;

/** The JSON of a frozen object. Objects that may still change are encoded anew each time. */
export function encodeJson(object: object): string {
  if (!Object.isFrozen(object)) return JSON.stringify(object);
  let text = recent.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    if (recent.size >= maxRecent) recent.delete(recent.keys().next().value as object);
    recent.set(object, text);
  }
  return text;
}
