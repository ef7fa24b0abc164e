import type { compilePattern } from '@tektite/schema';

type Pattern = Exclude<ReturnType<typeof compilePattern>, string>;

/**
 * Replaces all matches, as Go's `ReplaceAllString` does: `$1` and `${name}` stand for groups, `$$` for a dollar sign, a group that
 * does not exist is empty.
 */
export function replaceMatches(pattern: Pattern, text: string, template: string): string {
  const matcher = pattern.matcher(text);
  const names = new Set(Object.keys(pattern.namedGroups()));
  const groups = pattern.groupCount();
  let result = '';
  let at = 0;
  while (matcher.find()) {
    result += text.slice(at, matcher.start()) + expand(template, (name) => groupOf(name));
    at = matcher.end();
  }
  return result + text.slice(at);

  function groupOf(name: string): string {
    if (/^\d+$/.test(name)) return Number(name) <= groups ? (matcher.group(Number(name)) ?? '') : '';
    return names.has(name) ? (matcher.group(name) ?? '') : '';
  }
}

function expand(template: string, groupOf: (name: string) => string): string {
  return template.replaceAll(/\$(?:(\$)|\{(\w+)\}|(\w+))/g, (_, dollar?: string, braced?: string, bare?: string) =>
    dollar === undefined ? groupOf(braced ?? bare ?? '') : '$',
  );
}
