import { isStoreError, parseImageReference, type StoreErrorCode } from '@tektite/oci';

/** The codes of the interface between kubelets and container runtimes. */
const rpcCodes: Partial<Record<StoreErrorCode, string>> = {
  NO_PLATFORM: 'NotFound',
  DIGEST_MISMATCH: 'FailedPrecondition',
  TOO_LARGE: 'ResourceExhausted',
  INVALID_IMAGE: 'InvalidArgument',
  UNSAFE_LAYER: 'InvalidArgument',
};

/** The name of an image as container runtimes write it: `docker.io/library/busybox:latest`. */
function fullImageName(image: string): string {
  const { registry, repository, reference, isDigest } = parseImageReference(image);
  return `${registry === 'index.docker.io' ? 'docker.io' : registry}/${repository}${isDigest ? '@' : ':'}${reference}`;
}

/** The error of a pull, as kubelets receive it from a container runtime. */
export function pullErrorText(image: string, error: Error): string {
  const name = fullImageName(image);
  const { message } = error;
  const prefix = `failed to pull and unpack image ${JSON.stringify(name)}`;
  if (!isStoreError(error)) return `rpc error: code = Unknown desc = ${prefix}: ${message}`;
  if (error.code === 'REGISTRY_FAILED' && /\b(?:MANIFEST_UNKNOWN|NAME_UNKNOWN|404)\b/.test(message))
    return `rpc error: code = NotFound desc = ${prefix}: failed to resolve reference ${JSON.stringify(name)}: ${name}: not found`;
  return `rpc error: code = ${rpcCodes[error.code] ?? 'Unknown'} desc = ${prefix}: ${message}`;
}
