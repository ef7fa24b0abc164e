import { type JsonMap, unmarshalMap } from '../json/unmarshal.ts';

/** A pull request that an event is about. */
export interface PullRequest {
  readonly number: number;
  readonly owner: string;
  readonly repository: string;
}

/** An event whose sender is checked. */
export interface OwnersEvent extends PullRequest {
  readonly sender: string;
  readonly comment: string;
}

function bodyOf(body: string, empty: string): JsonMap {
  if (body === '') throw new Error(empty);
  return unmarshalMap(body);
}

function mapIn(map: JsonMap, field: string): JsonMap | undefined {
  const value = map[field];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : undefined;
}

function repositoryOf(payload: JsonMap): Omit<PullRequest, 'number'> {
  const repository = mapIn(payload, 'repository');
  if (!repository) throw new Error("payload body missing 'repository' field");
  const fullName = repository['full_name'];
  if (typeof fullName !== 'string') throw new Error("payload body missing 'repository.full_name' field");
  const [owner = '', name = ''] = fullName.split('/');
  return { owner, repository: name };
}

/** The files that a push names, or the pull request whose files must be asked for. */
export function changedFilesPayload(body: string, event: string): PullRequest & { readonly files: string } {
  const payload = bodyOf(body, 'body is empty');
  const hasNumber = Object.hasOwn(payload, 'number');
  if (!hasNumber && event === 'pull_request') throw new Error("pull_request body missing 'number' field");
  const repository = repositoryOf(payload);
  const commits = Array.isArray(payload['commits']) ? (payload['commits'] as readonly JsonMap[]) : [];
  const files = commits.flatMap((commit) =>
    ['added', 'modified', 'removed'].flatMap((field) => {
      const names = commit[field];
      if (!Array.isArray(names)) throw new Error(`payload body missing 'commits.*.${field}' field`);
      return names.map(String);
    }),
  );
  return { number: hasNumber ? Number(payload['number']) : -1, ...repository, files: files.join(',') };
}

/** The sender and the comment of a pull request or of a comment on one. */
export function ownersPayload(body: string, event: string): OwnersEvent {
  const payload = bodyOf(body, 'payload body is empty');
  let number: unknown = -1;
  let comment: unknown = '';
  if (event === 'pull_request') {
    if (!Object.hasOwn(payload, 'number')) throw new Error("pull_request body missing 'number' field");
    number = payload['number'];
  } else if (event === 'issue_comment') {
    const issue = mapIn(payload, 'issue');
    if (!issue) throw new Error("issue_comment body missing 'issue' section");
    if (!Object.hasOwn(issue, 'number'))
      throw new Error("'number' field missing in the issue section of issue_comment body");
    number = issue['number'];
    const section = mapIn(payload, 'comment');
    if (!section) throw new Error("issue_comment body missing 'comment' section");
    if (!Object.hasOwn(section, 'body'))
      throw new Error("'body' field missing in the comment section of issue_comment body");
    comment = section['body'];
  }
  const repository = repositoryOf(payload);
  const sender = mapIn(payload, 'sender');
  if (!sender) throw new Error("payload body missing 'sender' field");
  const login = sender['login'];
  return {
    number: Number(number),
    comment: typeof comment === 'string' ? comment : '',
    sender: typeof login === 'string' ? login : '',
    ...repository,
  };
}
