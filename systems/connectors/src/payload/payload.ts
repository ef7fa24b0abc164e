import type { Manifest } from '@tektite/manifest';

/** The YAML of a component, as the operator comes with it. */
export interface Payload {
  readonly component: string;
  readonly manifest: Manifest;
  /** The version in the payload; without it, the version of the operator counts. */
  readonly version?: string;
  /** Another one for other content. */
  readonly digest: string;
}

/** Where payloads come from. */
export interface PayloadSource {
  /** Sorted. */
  components(): Promise<readonly string[]>;
  /** Nothing where there is none. Throws a RenderFailure for one that cannot be read. */
  load(component: string): Promise<Payload | undefined>;
}
