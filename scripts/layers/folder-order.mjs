import { findCycles } from './cycles.mjs';

/**
 * Reads the order of a room's folders from its README: the names in backquotes that end with a slash below the heading
 * "## Folders", bottom first.
 *
 * @returns {string[] | undefined} undefined where the README has no such heading
 */
export function readFolderOrder(readme) {
  const section = /^## Folders\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(readme)?.[1];
  return section && [...section.matchAll(/`([\w.-]+)\/`/g)].map((match) => match[1]);
}

/**
 * Checks the imports between the files of one room.
 *
 * - No files import each other in a circle, types included.
 * - No folders do, at any depth.
 * - The folders directly below src/ import only folders before them in `order`. Files directly in src/ belong to no folder: importing
 *   one counts as importing what it imports.
 *
 * @param {Map<string, string[]>} graph each file and those it imports, as paths below src/
 * @param {string[] | undefined} order the room's folders, bottom first
 * @returns {string[]} problems
 */
export function checkFolders(graph, order) {
  const problems = findCycles(graph).map(
    (files) => `files import each other in a circle: ${files.toSorted().join(', ')}`,
  );
  for (const parent of parentFolders(graph)) {
    for (const nodes of findCycles(graphWithin(graph, parent))) {
      if (nodes.every((node) => graph.has(node))) continue;
      problems.push(`folders import each other in a circle: ${nodes.toSorted().join(', ')}`);
    }
  }
  return [...problems, ...checkOrder(graph, order)];
}

function checkOrder(graph, order) {
  const folders = new Set([...graph.keys()].filter((file) => file.includes('/')).map((file) => nodeWithin('', file)));
  if (folders.size === 0) return [];
  if (!order) return ['the README has no "## Folders" that gives the order of the folders, bottom first'];
  const problems = [];
  for (const folder of folders)
    if (!order.includes(folder)) problems.push(`"## Folders" of the README does not name ${folder}/`);
  order.forEach((folder, place) => {
    if (!folders.has(folder)) problems.push(`"## Folders" of the README names ${folder}/, which does not exist`);
    if (order.indexOf(folder) !== place) problems.push(`"## Folders" of the README names ${folder}/ twice`);
  });
  for (const file of graph.keys()) {
    if (!file.includes('/')) continue;
    const place = order.indexOf(nodeWithin('', file));
    for (const target of throughRootFiles(graph, file)) {
      const folder = nodeWithin('', target);
      if (order.indexOf(folder) > place) problems.push(`${file} imports ${target}, but ${folder}/ is above it`);
    }
  }
  return problems;
}

/** The files in folders that a file imports, directly or by way of files that are in no folder. */
function throughRootFiles(graph, file, seen = new Set()) {
  return graph.get(file).flatMap((target) => {
    if (target.includes('/')) return [target];
    if (seen.has(target)) return [];
    return throughRootFiles(graph, target, seen.add(target));
  });
}

/** All folders that have folders in them; '' is src/ itself. */
function parentFolders(graph) {
  const parents = new Set();
  for (const file of graph.keys()) {
    const parts = file.split('/').slice(0, -1);
    parts.forEach((_, depth) => parents.add(parts.slice(0, depth).join('/')));
  }
  return parents;
}

/** The graph between the direct children of a folder. */
function graphWithin(graph, parent) {
  const inside = new Map();
  for (const [file, targets] of graph) {
    const from = nodeWithin(parent, file);
    if (from === undefined) continue;
    const to = targets
      .map((target) => nodeWithin(parent, target))
      .filter((node) => node !== undefined && node !== from);
    inside.set(from, new Set([...(inside.get(from) ?? []), ...to]));
  }
  return inside;
}

/** The direct child of a folder that a file is, or is in; undefined where the file is elsewhere. */
function nodeWithin(parent, file) {
  const prefix = parent === '' ? '' : `${parent}/`;
  if (!file.startsWith(prefix)) return undefined;
  return prefix + file.slice(prefix.length).split('/')[0];
}
