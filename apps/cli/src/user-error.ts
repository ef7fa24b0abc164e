/** Something the user can mend; the message says what is wrong and what to do. Printed without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
