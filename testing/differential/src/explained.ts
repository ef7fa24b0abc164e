import type { OperationDifference } from './run-sequence.ts';

/** A difference that is known, and stays. */
interface Explanation {
  /** Why it is rightly there; docs/fidelity.md has it, too. */
  readonly reason: string;
  readonly matches: (difference: OperationDifference) => boolean;
}

const explanations: readonly Explanation[] = [
  {
    reason: 'the address and the build of a server are its own',
    matches: ({ operation: { path } }) => path === '/api' || path === '/version' || path === '/metrics',
  },
  {
    reason: 'empty lists and maps are dropped when an object is read, so messages show null where Go shows [] or {}',
    matches: ({ reference, differences }) =>
      reference.code === 422 &&
      differences.every(({ at, reference: one, subject: other }) => {
        if (!at.endsWith('message')) return false;
        const text = (value: unknown) => String(value).replaceAll(/\{\}|\[\]|null/g, '∅');
        return text(one) === text(other);
      }),
  },
  {
    reason:
      'upstream walks maps of labels, and bindings of roles, in an order that changes from one request to the next',
    matches: ({ differences }) =>
      sortedTexts(differences.map(({ reference }) => reference)) ===
      sortedTexts(differences.map(({ subject }) => subject)),
  },
];

/** The words of all values, sorted: the same for two answers that say the same in another order. */
function sortedTexts(values: readonly unknown[]): string {
  return JSON.stringify(values)
    .split(/[\s,"[\]{}]+/)
    .sort()
    .join(' ');
}

export function isExplained(difference: OperationDifference): boolean {
  return explanations.some(({ matches }) => matches(difference));
}
