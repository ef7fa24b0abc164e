import type { UserInfo } from '../../request/api-request.ts';

const prefix = 'system:node:';

/** The name of the node that a user is; `undefined` for all other users. */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(prefix) && groups.includes('system:nodes') ? name.slice(prefix.length) : undefined;
}
