/**
 * A user's arguments over those of a release. A flag that is there keeps its place and its style (`-k=v` or `-k v`) and gets
 * the new value; other flags and words are added once.
 */
export function mergeArguments(given: readonly string[], wanted: readonly string[]): string[] {
  const result = [...given];
  const seen = new Set(given);
  const places = new Map<string, number>();
  given.forEach((argument, index) => {
    if (!argument.startsWith('-')) return;
    const equals = argument.indexOf('=');
    if (equals > 0) places.set(argument.slice(0, equals), index);
    else if (isValue(given[index + 1])) places.set(argument, index);
  });
  for (let index = 0; index < wanted.length; index++) {
    const argument = wanted[index] as string;
    const equals = argument.indexOf('=');
    if (argument.startsWith('-') && equals > 0)
      put(result, places, argument.slice(0, equals), argument.slice(equals + 1), [argument]);
    else if (argument.startsWith('-') && isValue(wanted[index + 1])) {
      const value = wanted[++index] as string;
      put(result, places, argument, value, [argument, value]);
    } else if (!seen.has(argument)) {
      seen.add(argument);
      result.push(argument);
    }
  }
  return result;
}

const isValue = (argument: string | undefined) => argument !== undefined && !argument.startsWith('-');

function put(
  result: string[],
  places: Map<string, number>,
  flag: string,
  value: string,
  added: readonly string[],
): void {
  const place = places.get(flag);
  if (place === undefined) {
    places.set(flag, result.length);
    result.push(...added);
  } else if (result[place] === flag) result[place + 1] = value;
  else result[place] = `${flag}=${value}`;
}
