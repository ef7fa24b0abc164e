// Checks the direction of imports, between rooms and between the folders of a room. Fails when a room or a folder imports upwards,
// when rooms, folders or files import each other in a circle, when a package is used that the package.json does not declare, and
// when there was nothing to check. TypeScript's references must follow from the packages too. The table of layers is in layers/layer-table.mjs, the order of folders in each room's README.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findCycles } from './layers/cycles.mjs';
import { checkFolders, readFolderOrder } from './layers/folder-order.mjs';
import { layers } from './layers/layer-table.mjs';
import { projectReferences } from './layers/references.mjs';
import { dependenciesOf, readRooms } from './layers/rooms.mjs';
import { importGraph, importsOf, isTestFile, sourceFiles } from './layers/source-files.mjs';

const root = join(import.meta.dirname, '..');
const rooms = readRooms(root);
const roomsByName = new Map(rooms.map((room) => [room.manifest.name, room]));

const problems = [];
let files = 0;
let imports = 0;

for (const room of rooms) {
  if (layers[room.layer] === undefined)
    problems.push(`${room.path}: scripts/layers/layer-table.mjs does not name the layer ${room.layer}`);
  else checkImports(room);
  checkRoomFolders(room);
}
const dependencies = new Map(rooms.map((room) => [room.manifest.name, dependenciesOf(room)]));
for (const names of findCycles(dependencies))
  problems.push(`packages depend on each other in a circle: ${names.join(', ')}`);
for (const { file, isCurrent } of projectReferences(root))
  if (!isCurrent)
    problems.push(`${file}: references differ from the dependencies; run node scripts/sync-references.mjs`);

if (files === 0 || imports === 0) problems.push('nothing was checked: no source files or imports found');
for (const problem of problems) console.error(problem);
console.log(`layers: ${files} files, ${imports} imports, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

function checkImports(room) {
  // A private package is never installed elsewhere.
  const declared = new Set([
    ...dependenciesOf(room),
    ...(room.manifest.private ? Object.keys(room.manifest.devDependencies ?? {}) : []),
  ]);
  for (const file of sourceFiles(join(root, room.path))) {
    files++;
    const isTest = isTestFile(file);
    const report = (problem) => problems.push(`${relative(root, file)}: ${problem}`);
    for (const specifier of importsOf(file)) {
      imports++;
      if (specifier.startsWith('node:')) continue;
      if (specifier.startsWith('.')) {
        if (relative(join(root, room.path), join(file, '..', specifier)).startsWith('..'))
          report(`imports ${specifier}, outside of its package`);
        continue;
      }
      const name = packageName(specifier);
      if (name === room.manifest.name) continue;
      const layer = roomsByName.get(name)?.layer;
      if (layer && !layers[room.layer].includes(layer) && !(isTest && layer === 'testing'))
        report(`${room.layer} must not import ${layer} (${name})`);
      if (!isTest && !declared.has(name)) report(`${name} is not among the dependencies of ${room.path}`);
    }
  }
}

function checkRoomFolders(room) {
  const source = join(root, room.path, 'src');
  const readme = join(root, room.path, 'README.md');
  if (!existsSync(source)) return;
  const order = existsSync(readme) ? readFolderOrder(readFileSync(readme, 'utf8')) : undefined;
  for (const problem of checkFolders(importGraph(source), order)) problems.push(`${room.path}: ${problem}`);
}

function packageName(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
