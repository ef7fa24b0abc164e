/** Something about a data folder that only its owner can mend. The message names the file and the way out. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

export function damagedFile(file: string, what: string): FolderError {
  return new FolderError(
    `${file} is damaged: ${what}. Restore the folder from a backup, or start empty by moving it away.`,
  );
}
