/** A change of one place of a JSON document, by its JSON pointer. Without a value the place is deleted. */
export interface Edit {
  readonly at: string;
  readonly value?: unknown;
}

/**
 * One request of a sequence. It is plain JSON: a sequence is saved, shrunk and sent again.
 *
 * Values that each server makes for itself are named by where they were last answered: `{{uid of PATH}}`,
 * `{{version of PATH}}` and `{{continue of PATH}}` are replaced in the path and in the texts of the body.
 */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. `{{ns}}` is the namespace of the sequence. */
  readonly path: string;
  readonly body?: unknown;
  /** A body that is not JSON, or not well formed. */
  readonly bodyText?: string;
  /** The body is what the server last answered for this path, with the edits. */
  readonly basedOn?: string;
  readonly edits?: readonly Edit[];
  readonly contentType?: string;
  readonly accept?: string;
  /** Impersonated, with `{{ns}}` as in the path; the administrator sends the request where this is absent. */
  readonly user?: string;
  /** Sent again until the answer satisfies it; intermediate answers are not compared. */
  readonly until?: 'established' | 'served' | 'not-found';
  /** The answer is a stream of watch events. */
  readonly watch?: true;
}

/** The answer of one server to one operation. */
export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, the events of a watch, or the text where it is neither. */
  readonly body: unknown;
}

/** The answers of a server by path, for references of later operations. */
export type Answers = Map<string, unknown>;

/** The path without its query: what references name. */
export function resourcePath(path: string): string {
  return path.split('?', 1)[0] as string;
}

/** The request that an operation becomes on a server that has given these answers. */
export function resolveOperation(operation: Operation, namespace: string, answers: Answers): ResolvedOperation {
  const fill = (text: string) => fillReferences(text.replaceAll('{{ns}}', namespace), answers);
  const path = fill(operation.path);
  if (operation.bodyText !== undefined) return { path, body: fill(operation.bodyText) };
  const base = operation.basedOn === undefined ? operation.body : answers.get(resourcePath(fill(operation.basedOn)));
  if (base === undefined) return { path };
  const edited = (operation.edits ?? []).reduce(applyEdit, base);
  return { path, body: JSON.stringify(fillValues(edited, fill)) };
}

interface ResolvedOperation {
  readonly path: string;
  readonly body?: string;
}

function fillValues(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return value.includes('{{') ? fill(value) : value;
  if (Array.isArray(value)) return value.map((each) => fillValues(each, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fillValues(each, fill)]));
}

function fillReferences(text: string, answers: Answers): string {
  return text.replaceAll(/\{\{(uid|version|continue) of ([^}]+)\}\}/g, (_, what: string, path: string) => {
    const answer = answers.get(path) as { metadata?: Record<string, unknown> } | undefined;
    const field = { uid: 'uid', version: 'resourceVersion', continue: 'continue' }[what] as string;
    const value = answer?.metadata?.[field];
    return typeof value === 'string' ? value : `no-${what}`;
  });
}

/** A copy with one place changed. Places that do not exist are made where their parent is an object or a list. */
export function applyEdit(document: unknown, { at, value }: Edit): unknown {
  const steps = at
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return change(document, steps, value);
}

function change(document: unknown, steps: readonly string[], value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (Array.isArray(document)) {
    const index = step === '-' ? document.length : Number(step);
    if (rest.length === 0 && value === undefined) return document.filter((_, at) => at !== index);
    const copy = [...(document as unknown[])];
    copy[index] = change(copy[index], rest, value);
    return copy;
  }
  const fields = typeof document === 'object' && document !== null ? (document as Record<string, unknown>) : {};
  const { [step]: old, ...others } = fields;
  if (rest.length === 0 && value === undefined) return others;
  return { ...fields, [step]: change(old, rest, value) };
}
