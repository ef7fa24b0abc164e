import { type CodedError, defineErrors, type ErrorCode } from '@tektite/meta';

/** Failures of the installer that no answer of the API explains. */
export const installerErrors = defineErrors('installer', 'InstallerError', {
  OBJECT_TOO_LARGE: {
    when: 'an object alone is larger than a set may be',
    fix: 'make the object smaller: split it, or move its data into several ConfigMaps',
  },
  PART_MISSING: {
    when: 'a part of a set does not exist, or differs from what the set says',
    fix: 'wait for the controller to write it; delete the set if it stays so, and it is created again',
  },
});

export type InstallerErrorCode = ErrorCode<typeof installerErrors>;

/** A failure of the installer. Recognise it with {@link isInstallerError}. */
export const InstallerError = installerErrors.Error;
export type InstallerError = CodedError<InstallerErrorCode>;

export const isInstallerError = installerErrors.is;
