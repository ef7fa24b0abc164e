import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The rooms of the repository: every package that the workspaces of the root package.json name. This is the only list of rooms;
 * TypeScript's references, the layers and the other checks are derived from it and from the dependencies that packages declare.
 *
 * @returns {{ path: string, layer: string, manifest: Record<string, any> }[]} sorted by path
 */
export function readRooms(root) {
  const { workspaces } = readJson(join(root, 'package.json'));
  return workspaces
    .flatMap((pattern) => (pattern.endsWith('/*') ? packagesIn(root, pattern.slice(0, -2)) : [pattern]))
    .map((path) => ({ path, layer: path.split('/')[0], manifest: readJson(join(root, path, 'package.json')) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The names of the packages that a room imports in production code. */
export function dependenciesOf({ manifest }) {
  return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
}

function packagesIn(root, folder) {
  return readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(join(root, path, 'package.json')));
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
