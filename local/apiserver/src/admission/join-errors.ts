/** Several errors as Go's aggregate prints them: each once, in brackets. */
export function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}
