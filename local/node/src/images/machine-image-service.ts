import { type HeldImage, isStoreError } from '@tektite/oci';
import { ContainerStartError, isContainerStartError } from '../runtime/container-start-error.ts';
import type { ImageRequest, ImageService } from './image-service.ts';

export interface MachineImageServiceOptions {
  /** Provides all other images. */
  readonly images: ImageService;
  /** Whether an image is only a name for programs or a folder of this machine. */
  readonly isOwn: (image: string) => boolean;
  /** Whether programs of this machine can replace an image whose registry cannot be reached. Default: none. */
  readonly isReplaceable?: (image: string) => boolean;
  /** Follows the message of a pull that failed: what the user can do. */
  readonly hint?: string;
  /** Called once for each image that is replaced. */
  readonly onNotice?: (text: string) => void;
}

/** An answer of the registry: then it was reached. */
const answered = /\b(?:[A-Z]+_UNKNOWN|UNAUTHORIZED|DENIED|TOOMANYREQUESTS|[45]\d\d)\b/;

/**
 * Images, where programs of this machine stand for some: always for those of the machine's own, and for others when there is no
 * network. An image that is replaced once stays so, and its registry is not asked again.
 */
export class MachineImageService implements ImageService {
  private readonly options: MachineImageServiceOptions;
  private readonly replaced = new Set<string>();

  constructor(options: MachineImageServiceOptions) {
    this.options = options;
  }

  async ensure(request: ImageRequest): Promise<HeldImage | undefined> {
    const { images, isOwn, isReplaceable = () => false } = this.options;
    const { image } = request;
    if (isOwn(image) || this.replaced.has(image)) return usePrograms(request);
    if (!isReplaceable(image)) return images.ensure(request).catch((error: unknown) => this.explain(error));
    // Events of an attempt that is not continued are not recorded.
    const events: Parameters<ImageRequest['record']>[] = [];
    const flush = () => {
      for (const event of events) request.record(...event);
    };
    try {
      const held = await images.ensure({ ...request, record: (...event) => void events.push(event) });
      flush();
      return held;
    } catch (error) {
      if (!isUnreachable(error)) {
        flush();
        return this.explain(error);
      }
      this.replaced.add(image);
      this.options.onNotice?.(
        `the image ${image} cannot be pulled without a network; its containers run with the programs of this machine`,
      );
      return usePrograms(request);
    }
  }

  private explain(error: unknown): never {
    const { hint } = this.options;
    if (!isContainerStartError(error) || hint === undefined || error.reason === 'InvalidImageName') throw error;
    const { reason, message, cause, retryAt } = error;
    throw new ContainerStartError(reason, `${message}. ${hint}`, {
      cause,
      ...(retryAt === undefined ? {} : { retryAt }),
    });
  }
}

function usePrograms({ image, record }: ImageRequest): undefined {
  record(
    'Normal',
    'Pulled',
    `Container image ${JSON.stringify(image)} already present on machine and can be accessed by the pod`,
  );
}

function isUnreachable(error: unknown): boolean {
  const cause = (error as Error).cause;
  return isContainerStartError(error) && isStoreError(cause, 'REGISTRY_FAILED') && !answered.test(cause.message);
}
