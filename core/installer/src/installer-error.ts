/** Error codes; their meaning never changes. */
export const installerErrorCodes = {
  OBJECT_TOO_LARGE: 'an object alone is larger than a set may be',
  PART_MISSING: 'a part of a set is not there, or not what the set says',
} as const;

export type InstallerErrorCode = keyof typeof installerErrorCodes;

const brand = Symbol.for('tektite.InstallerError');

/** A failure of the installer that no answer of the API explains. */
export class InstallerError extends Error {
  readonly code: InstallerErrorCode;
  readonly [brand] = true;

  constructor(code: InstallerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InstallerError';
    this.code = code;
  }
}

/** Whether `error` is an InstallerError, and with one of these codes if any are given. Holds across duplicate installs. */
export function isInstallerError(error: unknown, ...codes: readonly InstallerErrorCode[]): error is InstallerError {
  return (
    typeof error === 'object' &&
    error !== null &&
    brand in error &&
    (codes.length === 0 || codes.includes((error as InstallerError).code))
  );
}
