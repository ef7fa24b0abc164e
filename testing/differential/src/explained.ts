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
    reason: 'upstream walks maps of labels and selectors in an order that changes from one request to the next',
    matches: ({ reference, differences }) =>
      reference.code === 422 && causesOfMaps(differences) && isReordered(differences),
  },
  {
    reason: 'upstream joins the rules of roles that a user holds in an order that changes from one request to the next',
    matches: ({ operation: { path }, reference, subject, differences }) =>
      /selfsubjectrulesreviews/.test(path) &&
      differences.every(({ at }) => at.startsWith('/body/status/')) &&
      sortedTexts([reference.body]) === sortedTexts([subject.body]),
  },
  {
    reason: 'a denial of an escalation lists missing rules in the order of a map',
    matches: ({ operation: { path }, reference, differences }) =>
      reference.code === 403 &&
      path.includes('rbac.authorization.k8s.io') &&
      differences.every(({ at }) => at.endsWith('/message')) &&
      isReordered(differences),
  },
  {
    reason: 'discovery lists the custom resources of a group version in the order of a map',
    matches: ({ operation: { path }, differences }) =>
      /^\/apis\/[^/]+\/[^/]+$/.test(path) &&
      differences.every(({ at }) => at.startsWith('/body/resources/')) &&
      isReordered(differences),
  },
  {
    reason:
      'the errors of an applied configuration come in the order of its maps, and end with the first unknown field',
    matches: ({ reference, subject, differences }) =>
      [reference, subject].every(({ code, body }) => code === 500 && isTypedError(body)) ||
      ([reference, subject].every(({ code, body }) => code === 500 && isTypedErrors(body)) && isReordered(differences)),
  },
  {
    reason: 'the conflicts of several managers come in the order of a map',
    matches: ({ reference, subject, differences }) =>
      [reference, subject].every(({ code, body }) => code === 409 && messageOf(body).startsWith('Apply failed with')) &&
      isReordered(differences),
  },
  {
    reason: 'errors of YAML have the words of our parser where the text is no YAML at all',
    matches: ({ reference, subject }) =>
      [reference, subject].every(
        ({ code, body }) => code === 400 && /error converting YAML to JSON: yaml: /.test(messageOf(body)),
      ),
  },
];

/** Fields that are maps in Go: their entries are validated in random order. */
const mapFields = /(labels|annotations|matchLabels|selector|nodeSelector|limits|requests|capacity|hard|data|overhead)/;

/** Whether all causes that differ are about entries of maps. */
function causesOfMaps(differences: OperationDifference['differences']): boolean {
  return differences.every(({ at, reference, subject }) => {
    if (at.endsWith('/message') && !at.includes('/causes/')) return true;
    if (at.endsWith('/field')) return [reference, subject].every((field) => mapFields.test(String(field)));
    return at.includes('/causes/');
  });
}

function messageOf(body: unknown): string {
  const { message } = body as { message?: unknown };
  return typeof message === 'string' ? message : '';
}

function isTypedErrors(body: unknown): boolean {
  return /^failed to create typed patch object .*: errors:\n/s.test(messageOf(body));
}

function isTypedError(body: unknown): boolean {
  return /^failed to create typed patch object .*field not declared in schema/s.test(messageOf(body));
}

/** Whether two answers say the same in another order. */
function isReordered(differences: OperationDifference['differences']): boolean {
  return (
    sortedTexts(differences.map(({ reference }) => reference)) ===
    sortedTexts(differences.map(({ subject }) => subject))
  );
}

/** The words of all values, sorted. */
function sortedTexts(values: readonly unknown[]): string {
  return JSON.stringify(values)
    .split(/[\s,"[\]{}]+/)
    .sort()
    .join(' ');
}

export function isExplained(difference: OperationDifference): boolean {
  return explanations.some(({ matches }) => matches(difference));
}
