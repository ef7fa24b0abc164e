import { parseYaml } from '@tektite/schema/yaml';
import type { GitHubApi } from './github-api.ts';
import { type OwnersEvent, ownersPayload } from './github-payload.ts';

const okToTest = /(^|\n)\/ok-to-test(\r\n|\r|\n|$)/;

/**
 * Whether the sender may start a run: a member of the organization or the repository, as `checkType` says, or listed in the
 * file OWNERS. A comment must be `/ok-to-test`.
 */
export async function checkOwners(body: string, event: string, checkType: string, api: GitHubApi): Promise<boolean> {
  const payload = within('parsing body', () => ownersPayload(body, event));
  const isAllowed = await isOwner(payload, checkType, api).catch((error: unknown) => {
    throw new Error(`error checking owner verification: ${(error as Error).message}`, { cause: error });
  });
  return isAllowed && (event === 'pull_request' || okToTest.test(payload.comment));
}

async function isOwner(payload: OwnersEvent, checkType: string, api: GitHubApi): Promise<boolean> {
  const { owner, sender } = payload;
  if (['orgMembers', 'all'].includes(checkType) && (await api.isPublicMember(owner, sender))) return true;
  if (['repoMembers', 'all'].includes(checkType) && (await api.isCollaborator(payload, sender))) return true;
  const text = await api.fileText(payload, 'OWNERS');
  if (text === undefined) return false;
  const { approvers = [], reviewers = [] } = (parseYaml(text)[0]?.value ?? {}) as {
    readonly approvers?: readonly unknown[];
    readonly reviewers?: readonly unknown[];
  };
  return [...approvers, ...reviewers].some((name) => String(name).toLowerCase() === sender.toLowerCase());
}

function within<T>(doing: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(`error ${doing}: ${(error as Error).message}`, { cause: error });
  }
}
