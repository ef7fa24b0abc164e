/** For options that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Where `tektite up` keeps its state unless it is told another place. */
export function defaultDataDir(): string {
  return `${process.env.HOME ?? '.'}/.tektite`;
}
