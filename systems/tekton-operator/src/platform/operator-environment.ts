/** The variables of the operator's process, which settings come from. */
export type OperatorEnvironment = Readonly<Record<string, string | undefined>>;
