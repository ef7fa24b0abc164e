/** Images in registries, in folders and in the image store, by the specifications of the Open Container Initiative. */
export { type ImageReference, mayBePlain, parseImageReference } from './image-reference.ts';
export { type Layer, type Manifest, type Referrer, type ReferrerManifest, RegistryClient } from './registry-client.ts';
export { ImageLayout } from './image-layout.ts';
export { unpackLayer } from './unpack-layer.ts';
export { type BuiltLayer, buildLayer, type LayerFile } from './build/build-layer.ts';
export {
  type Attachment,
  type BuiltImage,
  buildImage,
  type ContainerConfig,
  type ImageBuild,
} from './build/build-image.ts';
export { writeImageArchive } from './build/image-archive.ts';
export type { Login } from './login.ts';
export { type DockerAuths, loginsIn, parseDockerAuths, parseDockerCfg } from './credentials/docker-auths.ts';
export { dockerConfigFile, machineLogins } from './credentials/docker-config.ts';
export { isStoreError, StoreError, type StoreErrorCode, storeErrors } from './store-error.ts';
export { type Accounts, parseAccounts } from './config/accounts.ts';
export type { ImageConfig } from './config/image-config.ts';
export { type ContainerProcess, type ProcessRequest, resolveProcess } from './config/resolve-process.ts';
export type { HeldImage } from './store/held-image.ts';
export {
  ImageStore,
  type ImageStoreOptions,
  type LoadedImage,
  type LoadOptions,
  type PullOptions,
  type PullPolicy,
} from './store/image-store.ts';
export { type ImageSource, LazyImageStore } from './store/lazy-image-store.ts';
export type { PruneOptions, PruneReport } from './store/collect-garbage.ts';
export type { ListedImage } from './store/list-images.ts';
export type { CredentialSource, RegistrySettings } from './store/connect-registry.ts';
export type { PullProgress } from './store/store-image.ts';
export { defaultStoreFolder } from './store/store-folder.ts';
export { ownPlatform, parsePlatform, type Platform } from './platform.ts';
