import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { restoreBreaks } from './client-models.mjs';

const names = (
  'allowWatchBookmarks continue fieldSelector labelSelector limit pretty resourceVersion resourceVersionMatch ' +
  'sendInitialEvents timeoutSeconds watch dryRun fieldManager fieldValidation force gracePeriodSeconds ' +
  'ignoreStoreReadErrorWithClusterBreakingPotential orphanDependents propagationPolicy namespace'
).split(' ');

/** Reads the query parameters that all resources share from @kubernetes/client-node: name → description. */
export function readClientParameters() {
  const require = createRequire(import.meta.url);
  const directory = dirname(require.resolve('@kubernetes/client-node/package.json'));
  const text = readFileSync(join(directory, 'dist/gen/types/ObjectParamAPI.d.ts'), 'utf8');
  const descriptions = Object.fromEntries(names.map((name) => [name, findDescription(text, name)]));
  // Server-side apply demands a field manager, so a patch describes it differently.
  const patch = text.slice(text.indexOf('CoreV1ApipatchNamespacedConfigMap'));
  return { ...descriptions, 'patch fieldManager': findDescription(patch, 'fieldManager') };
}

function findDescription(text, name) {
  const match = new RegExp(`\\n {4}_?${name}\\??: `).exec(text);
  if (!match) throw new Error(`no description of the parameter ${name}`);
  const comment = text.slice(text.lastIndexOf('/**', match.index), match.index);
  return restoreBreaks(unescape(/^\s+\* (.*)$/m.exec(comment)[1]));
}

const entities = { quot: '"', '#39': "'", '#x60': '`', '#x3D': '=', lt: '<', gt: '>', amp: '&' };

function unescape(text) {
  return text.replaceAll('\\', '').replace(/&(quot|#39|#x60|#x3D|lt|gt|amp);/g, (_, entity) => entities[entity]);
}
