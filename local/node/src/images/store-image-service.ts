import { formatGoDuration, goDurationFromMilliseconds } from '@tektite/go';
import type { Clock } from '@tektite/meta';
import {
  type CredentialSource,
  type HeldImage,
  type ImageSource,
  isStoreError,
  machineLogins,
  type PullProgress,
} from '@tektite/oci';
import { ContainerStartError, type StartFailureReason } from '../runtime/container-start-error.ts';
import type { ObjectSource } from '../object-source.ts';
import type { ImageRequest, ImageService } from './image-service.ts';
import { podCredentials } from './pod-credentials.ts';
import { PullBackOff } from './pull-back-off.ts';
import { pullErrorText } from './pull-error-text.ts';

export interface StoreImageServiceOptions {
  readonly store: ImageSource;
  readonly objects: ObjectSource;
  readonly clock: Clock;
  /** The logins of the machine. Default: those of `~/.docker/config.json` and of credential helpers. */
  readonly credentials?: CredentialSource;
  /** Called with the bytes of pulls as they come. */
  readonly onProgress?: (request: ImageRequest, progress: PullProgress) => void;
}

/** A kubelet reconciles a Pod again soon after its status has changed. */
const nextSyncMs = 1000;

/**
 * Images out of the store of this machine, pulled as their policy says. States, back-off and Events are those of a kubelet: a pull that
 * fails gives `ErrImagePull`, and `ImagePullBackOff` until the next attempt is due.
 */
export class StoreImageService implements ImageService {
  private readonly options: StoreImageServiceOptions;
  private readonly backOff: PullBackOff;

  constructor(options: StoreImageServiceOptions) {
    this.options = options;
    this.backOff = new PullBackOff(options.clock);
  }

  async ensure(request: ImageRequest): Promise<HeldImage> {
    const { image, policy, record } = request;
    const present = await this.present(request);
    const quoted = JSON.stringify(image);
    if (present && policy !== 'Always') {
      record('Normal', 'Pulled', `Container image ${quoted} already present on machine and can be accessed by the pod`);
      return present;
    }
    await present?.release();
    if (policy === 'Never') {
      const message = `Container image ${quoted} is not present with pull policy of Never`;
      record('Warning', 'ErrImageNeverPull', message);
      throw failure('ErrImageNeverPull', message);
    }
    return this.pull(request);
  }

  /** The image if it is in the store. */
  private async present({ image, record }: ImageRequest): Promise<HeldImage | undefined> {
    try {
      return await this.options.store.hold(image);
    } catch (error) {
      if (!isStoreError(error, 'INVALID_REFERENCE')) throw error;
      const quoted = JSON.stringify(image);
      const message = `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: invalid reference format`;
      record('Warning', 'InspectFailed', message);
      throw failure('InvalidImageName', message, { cause: error });
    }
  }

  private async pull(request: ImageRequest): Promise<HeldImage> {
    const { pod, image, record, signal, dialTimeoutMs } = request;
    const { store, objects, clock, credentials = machineLogins, onProgress } = this.options;
    const key = `${pod.metadata.uid}_${image}`;
    const quoted = JSON.stringify(image);
    const waiting = this.backOff.waiting(key);
    if (waiting) {
      const message = `Back-off pulling image ${quoted}`;
      record('Normal', 'BackOff', message);
      throw failure('ImagePullBackOff', `${message}: ErrImagePull: ${waiting.error}`, { retryAt: waiting.until });
    }
    record('Normal', 'Pulling', `Pulling image ${quoted}`);
    const start = clock.monotonic();
    try {
      const held = await store.pull(image, {
        policy: 'Always',
        credentials: podCredentials(pod, objects, credentials),
        signal,
        ...(dialTimeoutMs === undefined ? {} : { dialTimeoutMs }),
        ...(onProgress ? { onProgress: (progress) => onProgress(request, progress) } : {}),
      });
      this.backOff.succeeded(key);
      // Rounded to milliseconds, as kubelets do.
      const duration = formatGoDuration(goDurationFromMilliseconds(Math.round(clock.monotonic() - start)));
      const message = `Successfully pulled image ${quoted} in ${duration} (${duration} including waiting). Image size: ${held.size} bytes.`;
      record('Normal', 'Pulled', message);
      return held;
    } catch (error) {
      signal.throwIfAborted();
      const message = pullErrorText(image, error as Error);
      record('Warning', 'Failed', `Failed to pull image ${quoted}: ${message}`);
      this.backOff.failed(key, message);
      throw failure('ErrImagePull', message, { cause: error, retryAt: clock.now() + nextSyncMs });
    }
  }
}

function failure(
  reason: StartFailureReason,
  message: string,
  options: ErrorOptions & { readonly retryAt?: number } = {},
): ContainerStartError {
  return new ContainerStartError(reason, message, options);
}
