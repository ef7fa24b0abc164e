import type { JsonDocument } from './json-document.ts';

/** The keys that a document has twice, as strict decoding names them: `duplicate field "data.a"`, innermost first. */
export function duplicateFields(document: JsonDocument): readonly string[] {
  if (!document.duplicates) return document.strictErrors ?? [];
  const found: string[] = [...(document.strictErrors ?? [])];
  visit(document, document.value, '', found);
  return found;
}

function visit(document: JsonDocument, value: unknown, path: string, found: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(document, item, `${path}[${index}]`, found);
    return;
  }
  const seen = new Set<string>();
  for (const [key, child] of document.duplicates?.get(value) ?? Object.entries(value)) {
    const here = path === '' ? key : `${path}.${key}`;
    if (seen.has(key)) found.push(`duplicate field "${here}"`);
    seen.add(key);
    visit(document, child, here, found);
  }
}
