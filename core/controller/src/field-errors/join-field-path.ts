/**
 * Joins the parts of a path: empty ones vanish, indexes and keys stick to what is before them. A key with a dot in it is not
 * recognised as one and keeps the dot in front (`params.[a.b]`), because upstream takes paths apart at dots.
 */
export function joinFieldPath(parts: readonly string[]): string {
  const joined: string[] = [];
  for (const part of parts.flatMap((text) => text.split('.'))) {
    if (part === '') continue;
    if (joined.length > 0 && part.startsWith('[') && part.endsWith(']'))
      joined.push(`${joined.pop() as string}${part}`);
    else joined.push(part);
  }
  return joined.join('.');
}
