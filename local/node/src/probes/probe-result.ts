/** The result of one probe. */
export interface ProbeResult {
  readonly success: boolean;
  /** For an event, when it failed. */
  readonly output: string;
  /** The probe itself did not work: it says nothing about the container. */
  readonly error?: string;
}
