/**
 * Flags as programs written in Go take them, which operators put at the end of a controller's arguments: one dash, and values of
 * booleans after an equals sign. `-disable-ha=false` is left out, `-kube-api-qps=5` becomes `--kube-api-qps=5`.
 */
export function goStyleFlags(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const [, name, value] = /^-([a-z][a-z-]+)=(.*)$/.exec(word) ?? [];
    if (name === undefined) return [word];
    if (value === 'false') return [];
    return [value === 'true' ? `--${name}` : `--${name}=${value}`];
  });
}
