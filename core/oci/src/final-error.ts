/** A permanent error: a retry gives the same result. */
export class FinalError extends Error {
  override readonly name = 'FinalError';
}
