import { setOwn } from '@tektite/meta';

interface Part {
  readonly name: string;
  /** A leading colon makes a number a key. */
  readonly isKey: boolean;
}

type Container = Record<string, unknown> | unknown[];

/** An index beyond this is denied: upstream would fill the list with as many nulls. */
const maxIndex = 10_000;

/**
 * Sets a value in JSON by a path of keys and indexes with dots between them, as tidwall's sjson does: objects and lists on the
 * way are created, `-1` appends, a backslash protects the next character. A path with characters of queries (`#`, `*`, `?`,
 * `|`, `@`) finds nothing in a new object and changes nothing. Changes `root` in place.
 */
export function setPath(root: Record<string, unknown>, path: string, value: unknown): void {
  if (path === '') throw new Error('path cannot be empty');
  const parts = partsOf(path);
  if (parts) assign(root, parts, value);
}

function partsOf(path: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  let name = '';
  let isKey = path.startsWith(':');
  for (let at = isKey ? 1 : 0; at < path.length; at++) {
    const character = path[at] as string;
    if ('|#@*?'.includes(character)) return undefined;
    if (character === '.') {
      parts.push({ name, isKey });
      name = '';
      isKey = path[at + 1] === ':';
      if (isKey) at++;
    } else name += character === '\\' ? (path[++at] ?? '') : character;
  }
  return [...parts, { name, isKey }];
}

const isIndex = ({ name, isKey }: Part): boolean => !isKey && /^\d*$/.test(name);
/** `-1`, and an empty name. */
const isAppend = ({ name, isKey }: Part): boolean => !isKey && (name === '-1' || name === '');

function assign(container: Container, [part, ...rest]: readonly Part[], value: unknown): void {
  if (!part) return;
  const put = (found: unknown, store: (value: unknown) => void) => {
    const [next] = rest;
    if (!next) return store(value);
    if (typeof found === 'object' && found !== null) return assign(found as Container, rest, value);
    const made: Container = isIndex(next) || isAppend(next) ? [] : {};
    store(made);
    assign(made, rest, value);
  };
  if (!Array.isArray(container)) {
    put(Object.hasOwn(container, part.name) ? container[part.name] : undefined, (each) =>
      setOwn(container, part.name, each),
    );
    return;
  }
  if (!isIndex(part) && !isAppend(part)) throw new Error(`cannot set array element for non-numeric key '${part.name}'`);
  const index = isAppend(part) ? container.length : Number(part.name);
  if (index > maxIndex) throw new Error(`array index ${part.name} is too large`);
  while (container.length < index) container.push(null);
  put(container[index], (each) => {
    container[index] = each;
  });
}
