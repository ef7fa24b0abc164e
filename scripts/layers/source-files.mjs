import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const skippedFolders = new Set(['node_modules', 'dist', 'generated']);

/** All TypeScript files below a folder, except built and generated ones. */
export function* sourceFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name)) yield* sourceFiles(path);
    } else if (/\.(ts|tsx|mts)$/.test(entry.name)) yield path;
  }
}

/** Tests, shared cases and their support: they may import any folder of their room, and the testing layer. */
export function isTestFile(path) {
  return /(?:\.(?:test|cases|test-d)|\/test-support)\.tsx?$/.test(path);
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;

/** The specifiers that a file imports, static or dynamic, types included. */
export function importsOf(file) {
  return [...readFileSync(file, 'utf8').matchAll(importPattern)].map((match) => match[1] ?? match[2] ?? match[3]);
}

/**
 * The imports between the production files of one room.
 *
 * @returns {Map<string, string[]>} each file and those it imports, as paths below `folder`
 */
export function importGraph(folder) {
  const files = [...sourceFiles(folder)].filter((file) => !isTestFile(file));
  const known = new Set(files);
  return new Map(
    files.map((file) => [
      file.slice(folder.length + 1),
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => join(dirname(file), specifier))
        .filter((target) => known.has(target))
        .map((target) => target.slice(folder.length + 1)),
    ]),
  );
}
