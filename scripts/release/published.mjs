import { readRooms } from '../layers/rooms.mjs';

/** The command, which is bundled with everything that it needs. */
export const commandName = 'tektite';

/** Architectures that have a package of compiled programs, by npm's name, with the compiler for each. */
export const platforms = {
  x64: { triple: 'x86_64-linux-gnu' },
  arm64: { triple: 'aarch64-linux-gnu' },
};

export const nativePackage = (architecture) => `@tektite/native-linux-${architecture}`;

/** Packages that list those of compiled programs as optional dependencies: npm installs the one that fits. */
export const withPrograms = [commandName, '@tektite/native'];

/** The rooms that are published. */
export function publishedRooms(root) {
  return readRooms(root).filter(({ manifest }) => !manifest.private);
}
