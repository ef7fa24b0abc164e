/** What went wrong will go wrong again: there is no need to wait and see. */
export class FinalError extends Error {
  override readonly name = 'FinalError';
}
