/** One port of a Service that is served while it has endpoints. */
export interface ServiceListener {
  /** The endpoints are different. */
  refresh(): void;
  close(): Promise<void>;
}
