/** Reasons as a kubelet gives them for a container that waits because it could not be started. */
export type StartFailureReason =
  | 'CreateContainerConfigError'
  | 'CreateContainerError'
  | 'RunContainerError'
  | 'ErrImagePull'
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
  readonly [brand] = true;

  constructor(reason: StartFailureReason, message: string, options: ErrorOptions & { readonly imageID?: string } = {}) {
    super(message, options);
    this.name = 'ContainerStartError';
    this.reason = reason;
    this.imageID = options.imageID ?? '';
  }
}

export function isContainerStartError(error: unknown): error is ContainerStartError {
  return typeof error === 'object' && error !== null && brand in error;
}
