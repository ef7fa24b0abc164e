// Checks the direction of imports between rooms. Fails when a room imports upwards or sideways, when a package is used
// that its package.json does not name, and when there was nothing to check.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = new URL('..', import.meta.url).pathname;

/** What each room may import, besides itself. */
const allowed = {
  'core/meta': [],
  'core/http': ['core/meta'],
  'core/schema': ['core/meta'],
  'core/client': ['core/meta', 'core/schema'],
  'core/certificates': ['core/meta'],
  'core/oci': ['core/meta', 'core/schema', 'core/client'],
  'core/controller': ['core/meta', 'core/http', 'core/schema', 'core/client', 'core/certificates'],
  'core/manifest': ['core/meta', 'core/schema', 'core/client'],
  'core/installer': ['core/meta', 'core/schema', 'core/client', 'core/controller', 'core/manifest'],
  local: ['core'],
  systems: ['core'],
  apps: ['core', 'local', 'systems'],
  testing: ['core', 'local'],
  examples: ['core', 'systems'],
  bench: ['core', 'local', 'systems', 'testing'],
};

const rooms = new Map();
for (const folder of ['core', 'local', 'systems', 'apps', 'testing', 'examples', 'bench']) {
  for (const path of packagesIn(folder)) {
    const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    rooms.set(manifest.name, { path, manifest });
  }
}

function packagesIn(folder) {
  let entries;
  try {
    entries = readdirSync(join(root, folder));
  } catch {
    return [];
  }
  if (entries.includes('package.json')) return [folder];
  return entries.filter((name) => exists(join(root, folder, name, 'package.json'))).map((name) => `${folder}/${name}`);
}

function exists(path) {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist', 'generated'].includes(entry.name)) yield* sources(path);
    } else if (/\.(ts|tsx|mts)$/.test(entry.name)) yield path;
  }
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
const problems = [];
let files = 0;
let imports = 0;

for (const { path, manifest } of rooms.values()) {
  const may = allowed[path] ?? allowed[path.split('/')[0]];
  if (!may) {
    problems.push(`${path}: no rule says what this room may import; add it to scripts/check-layers.mjs`);
    continue;
  }
  const declared = new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.devDependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
  ]);
  for (const file of sources(join(root, path))) {
    files++;
    const test = /(?:\.(?:test|cases|test-d)|\/test-support)\.ts$/.test(file);
    for (const match of readFileSync(file, 'utf8').matchAll(importPattern)) {
      const specifier = match[1] ?? match[2] ?? match[3];
      imports++;
      const where = relative(root, file);
      if (specifier.startsWith('.')) {
        const target = relative(join(root, path), join(file, '..', specifier));
        if (target.startsWith('..')) problems.push(`${where}: imports ${specifier}, outside of its package`);
        continue;
      }
      if (specifier.startsWith('node:')) continue;
      const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0];
      const room = rooms.get(name);
      if (room && room.path !== path) {
        const ok =
          may.some((layer) => room.path === layer || room.path.startsWith(`${layer}/`)) ||
          (test && room.path.startsWith('testing/'));
        if (!ok) problems.push(`${where}: ${path} must not import ${room.path}`);
      }
      if (room?.path !== path && !declared.has(name) && !test)
        problems.push(`${where}: ${name} is not among the dependencies of ${path}`);
    }
  }
}

if (files === 0 || imports === 0) problems.push('nothing was checked: no source files or imports found');
for (const problem of problems) console.error(problem);
console.log(`layers: ${files} files, ${imports} imports, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
