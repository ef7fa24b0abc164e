import { type Clock, type Random, randomUid, sleep } from '@tektite/meta';
import { type Difference, differencesOf } from './compare/difference.ts';
import { Normalizer } from './compare/normalize.ts';
import { type Answer, type Answers, type Operation, resolveOperation, resourcePath } from './operation.ts';
import type { ApiEndpoint } from './servers/api-endpoint.ts';

/** Operations that belong together, and the users and objects they share. */
export interface Sequence {
  readonly name: string;
  readonly operations: readonly Operation[];
}

/** The answers of one operation that differ. */
export interface OperationDifference {
  readonly index: number;
  readonly operation: Operation;
  readonly reference: Answer;
  readonly subject: Answer;
  readonly differences: readonly Difference[];
}

/** Both servers, and what waiting needs. */
export interface Bench {
  readonly reference: ApiEndpoint;
  readonly subject: ApiEndpoint;
  readonly clock: Clock;
  readonly random: Random;
  /** Each server gets a separate namespace: for one server that is compared with itself. */
  readonly apart?: true;
}

/**
 * Sends a sequence to both servers, in a new namespace, and returns the operations whose answers differ. Both
 * servers work at the same time; on each, operations follow each other.
 */
export async function runSequence(sequence: Sequence, bench: Bench): Promise<readonly OperationDifference[]> {
  const namespace = () => `d-${randomUid(bench.random).slice(0, 13)}`;
  const shared = namespace();
  const [reference, subject] = await Promise.all([
    answersOf(sequence, bench.reference, shared, bench.clock),
    answersOf(sequence, bench.subject, bench.apart === true ? namespace() : shared, bench.clock),
  ]);
  return sequence.operations.flatMap((operation, index) => {
    const [left, right] = [reference[index] as Answer, subject[index] as Answer];
    const differences = differencesOf(left, right);
    return differences.length === 0 ? [] : [{ index, operation, reference: left, subject: right, differences }];
  });
}

async function answersOf({ operations }: Sequence, endpoint: ApiEndpoint, namespace: string, clock: Clock) {
  const normalizer = new Normalizer(namespace);
  const known: Answers = new Map();
  const answers: Answer[] = [];
  await sendOperation(createNamespace, endpoint, namespace, known, clock);
  for (const operation of operations) {
    const answer = await sendOperation(operation, endpoint, namespace, known, clock);
    answers.push(normalizer.normalize(answer));
  }
  await sendOperation(deleteNamespace, endpoint, namespace, known, clock);
  return answers;
}

const createNamespace: Operation = {
  method: 'POST',
  path: '/api/v1/namespaces',
  body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: '{{ns}}' } },
};

const deleteNamespace: Operation = { method: 'DELETE', path: '/api/v1/namespaces/{{ns}}' };

const maxTries = 40;
const retryDelayMs = 50;

async function sendOperation(
  operation: Operation,
  endpoint: ApiEndpoint,
  namespace: string,
  known: Answers,
  clock: Clock,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const { path, body } = resolveOperation(operation, namespace, known);
    const { method, accept = 'application/json', contentType = 'application/json', user, watch = false } = operation;
    const headers = {
      accept,
      ...(body === undefined ? {} : { 'content-type': contentType }),
      ...(user === undefined ? {} : { 'impersonate-user': user.replaceAll('{{ns}}', namespace) }),
    };
    const answer = await endpoint.send({ method, path, headers, watch, ...(body === undefined ? {} : { body }) });
    if (operation.until === undefined || isSatisfied(operation.until, answer) || tries === maxTries) {
      if (answer.code < 300) remember(known, method, path, answer.body);
      return answer;
    }
    await sleep(clock, retryDelayMs);
  }
}

/** An object is known by its own path, also where it was created by a request to its collection. */
function remember(known: Answers, method: string, path: string, body: unknown): void {
  const at = resourcePath(path);
  const { kind, metadata } = body as { kind?: string; metadata?: { name?: unknown } };
  if (kind === 'Status' || kind === 'Table') return;
  const name = metadata?.name;
  known.set(method === 'POST' && typeof name === 'string' && !at.endsWith(`/${name}`) ? `${at}/${name}` : at, body);
}

function isSatisfied(until: NonNullable<Operation['until']>, { code, body }: Answer): boolean {
  if (until === 'served') return code === 200;
  // A definition that was refused is never established.
  if (until === 'not-found' || code === 404) return code === 404;
  const { conditions } = (body as { status?: { conditions?: Condition[] | null } }).status ?? {};
  return (conditions ?? []).some(
    ({ type, status }) =>
      (type === 'Established' && status === 'True') || (type === 'NamesAccepted' && status === 'False'),
  );
}

interface Condition {
  readonly type: string;
  readonly status: string;
}
