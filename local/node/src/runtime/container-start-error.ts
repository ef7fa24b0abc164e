/** Reasons as a kubelet gives them for a container that waits because it could not be started. */
export type StartFailureReason =
  | 'CreateContainerConfigError'
  | 'CreateContainerError'
  | 'RunContainerError'
  | 'ErrImagePull'
  | 'ImagePullBackOff'
  | 'ErrImageNeverPull'
  | 'InvalidImageName';

const brand = Symbol.for('tektite.ContainerStartError');

/**
 * Why a container did not start. With `RunContainerError` the container came into being and its program did not: it counts
 * as one that ended with code 128. With all others there is no container.
 */
export class ContainerStartError extends Error {
  readonly reason: StartFailureReason;
  /** Of a container that came into being. */
  readonly imageID: string;
  /** When the next attempt is due. Default: after the usual pause. */
  readonly retryAt: number | undefined;
  readonly [brand] = true;

  constructor(
    reason: StartFailureReason,
    message: string,
    options: ErrorOptions & { readonly imageID?: string; readonly retryAt?: number } = {},
  ) {
    super(message, options);
    this.name = 'ContainerStartError';
    this.reason = reason;
    this.imageID = options.imageID ?? '';
    this.retryAt = options.retryAt;
  }
}

export function isContainerStartError(error: unknown): error is ContainerStartError {
  return typeof error === 'object' && error !== null && brand in error;
}

const imageReasons: readonly StartFailureReason[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
];

/** Whether there is no image: the Events have more than the reason. */
export function isImageFailure({ reason }: ContainerStartError): boolean {
  return imageReasons.includes(reason);
}
