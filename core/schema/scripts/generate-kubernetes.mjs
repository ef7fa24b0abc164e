/**
 * Writes the built-in kinds of Kubernetes to `src/kubernetes/generated/`: TypeScript types, the table of definitions that
 * schemas and codecs are made from, and descriptions. Runs before the compiler; its output is not checked in.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readClientModels } from './kubernetes/client-models.mjs';
import { readClientParameters } from './kubernetes/client-parameters.mjs';
import { buildDefinitions } from './kubernetes/definitions.mjs';
import { emitDefinitions, emitDescriptions, emitTypes } from './kubernetes/emit.mjs';
import { readOrders } from './kubernetes/order.mjs';
import { readOverlays } from './kubernetes/overlay.mjs';

const target = fileURLToPath(new URL('../src/kubernetes/generated/', import.meta.url));
const definitions = buildDefinitions(await readClientModels(), readOverlays(), readOrders());

mkdirSync(target, { recursive: true });
write('types.ts', emitTypes(definitions));
write('definitions.ts', emitDefinitions(definitions));
write('descriptions.ts', emitDescriptions(definitions, readClientParameters()));
console.log(`${definitions.size} Kubernetes types generated`);

/** Leaves an unchanged file alone, so that the compiler sees nothing to do. */
function write(name, text) {
  const path = target + name;
  if (read(path) !== text) writeFileSync(path, text);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
