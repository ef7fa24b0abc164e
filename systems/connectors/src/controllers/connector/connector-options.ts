import type { Channel } from '@tektite/controller';
import type { PayloadSource } from '../../payload/payload.ts';
import type { Renderer } from '../../render/renderer.ts';

/** Settings and dependencies of the Connector controller. */
export interface ConnectorControllerOptions {
  readonly renderer: Renderer;
  readonly payloads: PayloadSource;
  readonly operatorVersion: string;
  /** Enqueues Connectors whose InstallManifests have drifted. */
  readonly nudges: Channel;
  /** Default: as many as the manager says. */
  readonly workers?: number;
  readonly requeueMs: number;
  readonly resyncMs: number;
  /** The interval of payload checks. */
  readonly payloadCheckMs: number;
}
