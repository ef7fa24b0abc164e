/** A text as it was read. */
export interface SourceText {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The maximum size of all texts of one source. */
export const maxBytes: number = 16 * 1024 * 1024;
