import { jsonSyntaxError, jsonTypeName, mismatchText } from '@tektite/go';

/** The Go error of bytes that should be a JSON object; nothing when they are one, or `null`. */
export function jsonObjectError(bytes: Uint8Array): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return jsonSyntaxError(bytes);
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  return mismatchText(jsonTypeName(value), 'map[string]interface {}');
}
