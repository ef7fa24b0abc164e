import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parseApiVersion } from '@tektite/meta';
import { type BuiltinKind, findBuiltinDefinition, findBuiltinKind } from '@tektite/schema/kubernetes';
import { describe, expect, test } from 'vitest';
import { decodeObject } from './decode-object.ts';

// Recordings of a real API server, which lie outside the repository.
const golden = new URL('../../../../../shared/golden/apiserver/', import.meta.url);

interface Found {
  readonly file: string;
  readonly object: Record<string, unknown>;
  readonly definition: BuiltinKind['definition'];
}

/** Every complete object of a built-in kind that the server answered with. */
function* recordedObjects(): Generator<Found> {
  for (const folder of readdirSync(golden, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const name of readdirSync(new URL(`${folder.name}/`, golden))) {
      const file = `${folder.name}/${name}`;
      const { steps } = JSON.parse(readFileSync(new URL(file, golden), 'utf8')) as {
        steps: { response?: { body?: unknown } }[];
      };
      for (const { response } of steps) yield* objectsIn(response?.body, file);
    }
  }
}

function* objectsIn(body: unknown, file: string): Generator<Found> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const { apiVersion, kind, items, metadata } = body as Record<string, unknown>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof metadata !== 'object') return;
  const { group, version } = parseApiVersion(apiVersion)!;
  const own = findBuiltinKind(group, version, kind);
  const definition = own?.definition ?? (kind === 'Scale' ? findBuiltinDefinition(group, version, kind) : undefined);
  if (definition) yield { file, object: body as Record<string, unknown>, definition };
  if (!kind.endsWith('List') || !Array.isArray(items)) return;
  for (const item of items)
    yield* objectsIn({ kind: kind.slice(0, -'List'.length), apiVersion, ...(item as object) }, file);
}

describe.skipIf(!existsSync(golden))('objects that a real API server answered with', () => {
  test('are decoded into themselves: nothing is unknown, lost or added', () => {
    let count = 0;
    for (const { file, object, definition } of recordedObjects()) {
      const decoded = decodeObject(definition, { value: object, hasNumberTexts: false });
      expect(decoded.strictErrors, file).toEqual([]);
      expect(decoded.object, file).toEqual(object);
      expect(JSON.stringify(decoded.object), file).toBe(JSON.stringify(object));
      count++;
    }
    expect(count).toBeGreaterThan(500);
  });
});
