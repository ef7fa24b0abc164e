const startsWithOption = /^--?[a-zA-Z][\w-]*(?:: | must )/;

/** An error that the user can fix: the message names the cause and what helps. Printed without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** 1 an operation failed, 2 usage or a bad file, 130 Ctrl-C. */
  readonly exitCode: number;

  /** A message that starts with an option is about usage, unless the caller knows better. */
  constructor(message: string, exitCode: number = startsWithOption.test(message) ? 2 : 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Errors of the file system that have their cause outside of this program. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file is in the way',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'the name is too long',
  ENOTSUP: 'folders cannot be created there',
  ELOOP: 'links lead in a circle',
  EMFILE: 'too many files are open; ulimit -n raises the limit',
  ENFILE: 'the machine has too many files open',
};

/** A failure of the file system as a sentence; `undefined` for failures of another kind. `file` is the one it is about. */
export function explainFileError(error: unknown, file: string): string | undefined {
  const { code, dest, path = file } = (error ?? {}) as NodeJS.ErrnoException & { readonly dest?: string };
  const reason = code === undefined ? undefined : reasons[code];
  // Of a copy, the disk of the destination is the full one.
  if (code === 'ENOSPC' || code === 'EDQUOT') return `${dest ?? path}: ${reason}`;
  return reason === undefined ? undefined : `${path}: ${reason}`;
}

/** A whole number within limits. */
export function readNumber(option: string, text: string, min: number, max: number): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new UserError(`${option} must be a number from ${min} to ${max}, not ${JSON.stringify(text)}`, 2);
  return value;
}

export function readPort(option: string, text: string): number {
  return readNumber(option, text, 0, 65535);
}
