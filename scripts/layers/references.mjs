import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { dependenciesOf, readRooms } from './rooms.mjs';

/**
 * The TypeScript project references that follow from the packages: the root refers to every room, and a room to the rooms among its
 * dependencies.
 *
 * @returns {{ file: string, isCurrent: boolean, text: string }[]} every tsconfig.json, with its references as they should be
 */
export function projectReferences(root) {
  const rooms = readRooms(root).filter((room) => existsSync(join(root, room.path, 'tsconfig.json')));
  const pathOf = new Map(rooms.map((room) => [room.manifest.name, room.path]));
  const projects = rooms.map((room) => ({
    folder: room.path,
    references: dependenciesOf(room)
      .map((name) => pathOf.get(name))
      .filter((path) => path !== undefined)
      .sort(),
  }));
  return [{ folder: '.', references: rooms.map((room) => room.path) }, ...projects].map(({ folder, references }) => {
    const file = join(folder, 'tsconfig.json');
    const text = readFileSync(join(root, file), 'utf8');
    const wanted = references.map((path) => ({ path: relative(folder, path) }));
    const isCurrent = JSON.stringify(JSON.parse(text).references ?? []) === JSON.stringify(wanted);
    return { file, isCurrent, text: isCurrent ? text : withReferences(text, wanted) };
  });
}

function withReferences(text, references) {
  return `${JSON.stringify({ ...JSON.parse(text), references }, undefined, 2)}\n`;
}
