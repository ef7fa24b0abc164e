import type { HeldImage } from '@tektite/oci';
import type { Pod } from '@tektite/schema/kubernetes';
import type { ImagePullPolicy } from '../runtime/pod-runtime.ts';

/** An image that a container needs. */
export interface ImageRequest {
  readonly pod: Pod;
  readonly image: string;
  readonly policy: ImagePullPolicy;
  /** Records an Event of the container. */
  readonly record: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** How long the first connection to the registry may take. Default: as long as the image store waits. */
  readonly dialTimeoutMs?: number;
  readonly signal: AbortSignal;
}

/** Provides the images of containers before they start. */
export interface ImageService {
  /**
   * The image, held until it is released. Rejects with a `ContainerStartError` whose reason is one of a kubelet's: `ErrImagePull`,
   * `ImagePullBackOff`, `ErrImageNeverPull`, `InvalidImageName`. Events are recorded as a kubelet does.
   * Undefined: programs of this machine stand for the image.
   */
  ensure(request: ImageRequest): Promise<HeldImage | undefined>;
}
