import { type CodedError, defineErrors, type ErrorCode } from '@tektite/meta';

/** Errors of the image store. */
export const storeErrors = defineErrors('oci', 'ImageStoreError', {
  INVALID_IMAGE: {
    when: 'a manifest or a configuration is not one of an image, or its parts do not fit together',
    fix: 'build and push the image again; artifacts that are not images cannot be run',
  },
  INVALID_REFERENCE: {
    when: 'the name of an image cannot be parsed',
    fix: 'write `registry/repository:tag` or `registry/repository@sha256:…`, in lower case',
  },
  NOT_FOUND: {
    when: 'the store has no image of this name, and was not allowed to pull it',
    fix: 'pull it with `tektite image pull`, load it with `tektite image load`, or choose another pull policy',
  },
  NO_PLATFORM: {
    when: 'the image exists, and not for the platform of this machine',
    fix: 'choose an image that was built for the platform that the message names, or pass --platform',
  },
  REGISTRY_FAILED: {
    when: 'the registry denies access, has no such image, or fails while the image is pulled',
    fix: 'check the name and the credentials; the message has the answer of the registry',
  },
  REGISTRY_UNREACHABLE: {
    when: 'the registry does not answer: there is no network, no such host, or a proxy or a certificate is in the way',
    fix: 'check the network and the name of the registry, or bring the image with `tektite image load`',
  },
  STORE_UNAVAILABLE: {
    when: 'the folder of the image store cannot be made or written',
    fix: 'set `XDG_CACHE_HOME` to a folder of yours; without one, only the programs of this machine can be run (`--runtime host`)',
  },
  DIGEST_MISMATCH: {
    when: 'content differs from the digest or the size that its manifest gives',
    fix: 'pull again; if it stays, the registry or a proxy on the way delivers damaged content',
  },
  TOO_LARGE: {
    when: 'a blob, a layer or the number of its files exceeds the limits of the store',
    fix: 'use a smaller image; layers that expand to many times their size are refused as decompression bombs',
  },
  UNSAFE_LAYER: {
    when: 'a layer names paths or links outside of its root, or its archive is malformed',
    fix: 'do not use the image: its layers were not made by a container tool, or were damaged',
  },
  UNSUPPORTED_COMPRESSION: {
    when: 'a layer is compressed in a way that this machine cannot read',
    fix: 'install the program `zstd`, or use Node.js 22.15 or newer',
  },
  UNPACK_FAILED: {
    when: 'a layer could not be written: the disk is full, or the file system cannot hold it',
    fix: 'free disk space, or choose another folder for the image store',
  },
  PROGRAM_MISSING: {
    when: 'a program that the image store needs is not installed or not compiled',
    fix: 'install what the message names; `npm run build` compiles the program that unpacks layers',
  },
  NO_COMMAND: {
    when: 'neither the container nor its image names a command',
    fix: 'set `command` on the container, or build the image with an entrypoint',
  },
  UNKNOWN_USER: {
    when: "the user or group of the container is a name that the image's /etc/passwd or /etc/group does not have",
    fix: 'set `runAsUser` and `runAsGroup` to numbers, or add the name to the image',
  },
  IN_USE: {
    when: 'an image cannot be removed because a container uses it',
    fix: 'stop the container first',
  },
});

export type StoreErrorCode = ErrorCode<typeof storeErrors>;
export const StoreError = storeErrors.Error;
export type StoreError = CodedError<StoreErrorCode>;
export const isStoreError = storeErrors.is;
