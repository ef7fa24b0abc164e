/** Who asks a registry. */
export interface Login {
  readonly username: string;
  readonly password: string;
}
