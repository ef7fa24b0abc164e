/** The first key of a value that is an instruction to a strategic merge, as `$patch`; found without recursion. */
export function directiveIn(value: unknown): string | undefined {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next))
      for (const key of Object.keys(next)) if (/^\$(patch|retainKeys|setElementOrder|deleteFrom)/.test(key)) return key;
    for (const each of Object.values(next)) left.push(each);
  }
  return undefined;
}
