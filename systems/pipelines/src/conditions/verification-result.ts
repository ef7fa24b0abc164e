/** The verification result of a fetched resource. */
export type VerificationResult =
  /** No policy is about it, and that does not matter. */
  | { readonly outcome: 'skipped' }
  | { readonly outcome: 'passed' }
  /** It is not signed as it should be: the run goes on, with this message in a condition; or it fails with it. */
  | { readonly outcome: 'warned' | 'failed'; readonly message: string };
