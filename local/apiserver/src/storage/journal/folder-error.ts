import { defineErrors } from '@tektite/meta';

export const folderErrors = defineErrors('apiserver', 'FolderError', {
  FOLDER_UNUSABLE: {
    when: 'a data folder is damaged, of another version, or in use',
    fix: 'follow the message: it names the file and the way out',
  },
});

/** Something about a data folder that only its owner can mend. The message names the file and the way out. */
export class FolderError extends folderErrors.Error {
  constructor(message: string, options?: ErrorOptions) {
    super('FOLDER_UNUSABLE', message, options);
  }
}

/** Whether `error` is a FolderError. */
export function isFolderError(error: unknown): error is FolderError {
  return folderErrors.is(error);
}

export function damagedFile(file: string, what: string): FolderError {
  return new FolderError(
    `${file} is damaged: ${what}. Restore the folder from a backup, or start empty by moving it away.`,
  );
}
