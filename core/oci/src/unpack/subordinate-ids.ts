import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

/** Ids that the machine grants to a user, for the users and groups of its containers. */
export interface SubordinateIds {
  /** `START:COUNT` */
  readonly users: string;
  readonly groups: string;
}

/** The first range of a user in /etc/subuid or /etc/subgid, by name or by id. Ranges too small for the usual ids do not count. */
export function subordinateRange(text: string, name: string, uid: number): string | undefined {
  for (const line of text.split('\n')) {
    const [owner, start = '', count = ''] = line.trim().split(':');
    if (owner !== name && owner !== String(uid)) continue;
    if (/^\d{1,10}$/.test(start) && /^\d{1,10}$/.test(count) && Number(count) >= 65_535) return `${start}:${count}`;
  }
  return undefined;
}

/** The subordinate ids of this process' user; undefined where the machine grants none. */
export function ownSubordinateIds(): SubordinateIds | undefined {
  try {
    const { username, uid } = userInfo();
    const users = subordinateRange(readFileSync('/etc/subuid', 'utf8'), username, uid);
    const groups = subordinateRange(readFileSync('/etc/subgid', 'utf8'), username, uid);
    return users && groups ? { users, groups } : undefined;
  } catch {
    return undefined;
  }
}
