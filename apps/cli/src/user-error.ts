/** Something the user can mend; the message says what is wrong and what to do. Printed without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What the system may refuse for reasons that are the user's to know. */
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
  ELOOP: 'links lead in a circle',
};

/** A failure of the file system as a sentence; `undefined` for failures of another kind. `file` is what it was about. */
export function explainFileError(error: unknown, file: string): string | undefined {
  const { code, path = file } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : reasons[code];
  return reason === undefined ? undefined : `${path}: ${reason}`;
}

/** A whole number within limits. */
export function readNumber(option: string, text: string, least: number, most: number): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new UserError(`${option} must be a number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  return value;
}

export function readPort(option: string, text: string): number {
  return readNumber(option, text, 0, 65535);
}
