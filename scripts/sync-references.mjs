// Writes the project references of every tsconfig.json as the dependencies of the packages say. Run it after adding a room or a
// dependency; check-layers.mjs fails where it would change a file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectReferences } from './layers/references.mjs';

const root = join(import.meta.dirname, '..');
const changed = projectReferences(root).filter(({ isCurrent }) => !isCurrent);
for (const { file, text } of changed) writeFileSync(join(root, file), text);
console.log(`references: ${changed.length} files written; biome formats them`);
