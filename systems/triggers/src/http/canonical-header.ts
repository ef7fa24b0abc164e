const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The name of a header as Go's `textproto` writes it: `x-github-event` is `X-Github-Event`. Other texts stay. */
export function canonicalHeader(name: string): string {
  if (!token.test(name)) return name;
  return name.toLowerCase().replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
