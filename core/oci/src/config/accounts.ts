/** A line of an image's /etc/passwd. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** A line of an image's /etc/group. */
export interface Group {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** The users and groups that an image knows. */
export interface Accounts {
  readonly users: readonly Account[];
  readonly groups: readonly Group[];
}

const maxId = 2 ** 32 - 2;

/** Parses /etc/passwd and /etc/group of an image. Lines that are malformed are skipped, as C libraries do. */
export function parseAccounts(passwd: string, group: string): Accounts {
  return {
    users: fieldsOf(passwd).flatMap(([name = '', , uid, gid, , home = '']) => {
      const ids = [idOf(uid), idOf(gid)] as const;
      return name === '' || ids[0] === undefined || ids[1] === undefined
        ? []
        : [{ name, uid: ids[0], gid: ids[1], home }];
    }),
    groups: fieldsOf(group).flatMap(([name = '', , id, members = '']) => {
      const gid = idOf(id);
      return name === '' || gid === undefined ? [] : [{ name, gid, members: members.split(',').filter(Boolean) }];
    }),
  };
}

function fieldsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trimEnd().split(':'));
}

/** A decimal id that the kernel takes, or undefined. */
export function idOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const id = Number(text);
  return id <= maxId ? id : undefined;
}
