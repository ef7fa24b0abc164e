/** Images in registries and in folders, by the specifications of the Open Container Initiative. */
export { type ImageReference, mayBePlain, parseImageReference } from './image-reference.ts';
export { type Layer, type Manifest, RegistryClient } from './registry-client.ts';
export { ImageLayout } from './image-layout.ts';
export { unpackLayer } from './unpack-layer.ts';
export type { Login } from './login.ts';
