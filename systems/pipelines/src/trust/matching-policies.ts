import { compilePattern } from '@tektite/schema';
import type { VerificationPolicyObject } from '../kinds/verification-policy.ts';

/**
 * The policies that are about a source. A pattern has to match all of it: one that matches a part would let in
 * `https://evil.example/https://good.example/`. Throws for a pattern that is none, which webhooks keep out.
 */
export function matchingPolicies(
  uri: string,
  policies: readonly VerificationPolicyObject[],
): readonly VerificationPolicyObject[] {
  const source = uri.trim().replace(/^git\+/, '');
  return policies.filter(({ spec }) => spec.resources.some(({ pattern }) => matches(pattern, source)));
}

function matches(pattern: string, source: string): boolean {
  const compiled = compilePattern(anchored(pattern));
  if (typeof compiled === 'string') throw new Error(`${compiled}: regex failed to match`);
  return compiled.matcher(source).find();
}

function anchored(pattern: string): string {
  const [hasStart, hasEnd] = [pattern.startsWith('^'), pattern.endsWith('$')];
  if (hasStart && hasEnd) return pattern;
  return `^(?:${pattern.slice(hasStart ? 1 : 0, hasEnd ? -1 : undefined)})$`;
}
