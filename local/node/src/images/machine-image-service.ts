import type { Clock } from '@tektite/meta';
import { type HeldImage, isStoreError, parseImageReference } from '@tektite/oci';
import { ContainerStartError, isContainerStartError } from '../runtime/container-start-error.ts';
import type { ImageRequest, ImageService } from './image-service.ts';

export interface MachineImageServiceOptions {
  /** Provides all other images. */
  readonly images: ImageService;
  /** Whether an image is only a name for programs or a folder of this machine. */
  readonly isOwn: (image: string) => boolean;
  /** Where no registry can be reached: how the machine stands in for images. Default: it does not, and pulls fail as on a cluster. */
  readonly offline?: OfflineOptions;
  /** Follows the message of a pull that failed: what the user can do. */
  readonly hint?: string;
  /** Called once for each image that is replaced. */
  readonly onNotice?: (text: string) => void;
}

export interface OfflineOptions {
  /** The programs of this machine that can replace an image, in words: `busybox's shell`. Undefined: it cannot be replaced. */
  readonly replacement: (image: string) => string | undefined;
  /** How long a registry that was not reached counts as such. Default: for good. */
  readonly rememberMs?: number;
  readonly clock: Clock;
}

/** How long containers that need not have their image wait for a connection to its registry. */
const dialTimeoutMs = 1000;

/**
 * Images, where programs of this machine stand for some: always for those of the machine's own, and for others when there is no
 * network. A registry that was not reached once is not asked again for those; images of the store are then used whatever the policy says.
 */
export class MachineImageService implements ImageService {
  private readonly options: MachineImageServiceOptions;
  /** Why and when nothing could be pulled, by the names of registries. */
  private readonly unreachable = new Map<string, { readonly reason: string; readonly at: number }>();
  private readonly noticed = new Set<string>();

  constructor(options: MachineImageServiceOptions) {
    this.options = options;
  }

  async ensure(request: ImageRequest): Promise<HeldImage | undefined> {
    const { images, isOwn, offline } = this.options;
    if (isOwn(request.image)) return usePrograms(request);
    const registry = registryOf(request.image);
    if (offline && registry !== undefined) return this.ensureOrReplace(request, registry, offline);
    return images.ensure(request).catch((error: unknown) => this.explain(error));
  }

  private async ensureOrReplace(
    request: ImageRequest,
    registry: string,
    offline: OfflineOptions,
  ): Promise<HeldImage | undefined> {
    const { images } = this.options;
    const programs = offline.replacement(request.image);
    const known = this.knownUnreachable(registry, offline);
    if (known !== undefined) {
      const stored = await this.stored(request);
      if (stored) return stored;
      if (programs !== undefined) return this.replace(request, known, programs);
      return images.ensure(request).catch((error: unknown) => this.explain(error));
    }
    using events = new LateEvents(request.record, offline.clock);
    const patience = programs === undefined ? {} : { dialTimeoutMs };
    try {
      return await images.ensure({ ...request, ...patience, record: events.record });
    } catch (error) {
      const reason = whyNoPull(error, registry);
      if (reason === undefined) return this.explain(error);
      this.unreachable.set(registry, { reason, at: offline.clock.now() });
      const stored = request.policy === 'Always' ? await this.stored(request) : undefined;
      if (!stored && programs === undefined) return this.explain(error);
      events.drop();
      return stored ?? this.replace(request, reason, programs ?? '');
    }
  }

  private knownUnreachable(registry: string, { clock, rememberMs = Infinity }: OfflineOptions): string | undefined {
    const known = this.unreachable.get(registry);
    return known && clock.now() < known.at + rememberMs ? known.reason : undefined;
  }

  /** The image if it is there, whatever the policy says. */
  private async stored(request: ImageRequest): Promise<HeldImage | undefined> {
    const events: Parameters<ImageRequest['record']>[] = [];
    const record: ImageRequest['record'] = (...event) => void events.push(event);
    try {
      const held = await this.options.images.ensure({ ...request, policy: 'Never', record });
      for (const event of events) request.record(...event);
      return held;
    } catch (error) {
      if (isContainerStartError(error) && error.reason === 'ErrImageNeverPull') return undefined;
      throw error;
    }
  }

  private replace(request: ImageRequest, reason: string, programs: string): undefined {
    const { image } = request;
    if (!this.noticed.has(image)) this.options.onNotice?.(`the image ${image} is replaced by ${programs}: ${reason}`);
    this.noticed.add(image);
    return usePrograms(request);
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

/** Why no image of a registry can be pulled here; undefined for failures of this image alone. */
function whyNoPull(error: unknown, registry: string): string | undefined {
  const cause = isContainerStartError(error) ? error.cause : undefined;
  if (isStoreError(cause, 'REGISTRY_UNREACHABLE')) return `${registry} cannot be reached`;
  return isStoreError(cause, 'STORE_UNAVAILABLE') ? cause.message : undefined;
}

/** Undefined for names that are none: there is no registry to ask for these. */
function registryOf(image: string): string | undefined {
  try {
    return parseImageReference(image).registry;
  } catch {
    return undefined;
  }
}

/** Holds back the Events of an attempt until it is known to continue: as soon as it takes longer than a connection may. */
class LateEvents implements Disposable {
  private held: Parameters<ImageRequest['record']>[] | undefined = [];
  private readonly to: ImageRequest['record'];
  private readonly timer: Disposable;

  constructor(to: ImageRequest['record'], clock: Clock) {
    this.to = to;
    this.timer = clock.setTimer(2 * dialTimeoutMs, () => this.flush());
  }

  readonly record: ImageRequest['record'] = (...event) => {
    if (this.held) this.held.push(event);
    else this.to(...event);
  };

  drop(): void {
    this.held = [];
  }

  private flush(): void {
    const events = this.held ?? [];
    this.held = undefined;
    for (const event of events) this.to(...event);
  }

  [Symbol.dispose](): void {
    this.timer[Symbol.dispose]();
    this.flush();
  }
}
