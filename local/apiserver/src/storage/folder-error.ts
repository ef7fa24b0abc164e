/** Something about a data folder that only its owner can mend. The message names the file and the way out. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}
