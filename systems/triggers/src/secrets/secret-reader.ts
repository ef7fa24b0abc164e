export interface SecretRef {
  readonly secretKey?: string;
  readonly secretName?: string;
}

/** Reads a value of a Secret in the namespace of the trigger. Rejects with the API's message. */
export type SecretReader = (ref: SecretRef) => Promise<Uint8Array>;
