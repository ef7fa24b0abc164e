/** Images that tests build, and registries to push them to. */
export { DockerRegistry } from './docker-registry.ts';
export { pushImage, pushManifest } from './push-image.ts';
export { type TarEntry, tarOf } from './tar-archive.ts';
export { TestFolder } from './test-folder.ts';
export { busyboxLayer, digestOf, imageOf, layerOf, type TestImage, type TestLayer } from './test-image.ts';
export { TestRegistry } from './test-registry.ts';
