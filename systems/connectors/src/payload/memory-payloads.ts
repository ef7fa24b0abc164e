import { canonicalHash, Manifest } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import type { Payload, PayloadSource } from './payload.ts';

export interface GivenPayload {
  readonly objects: readonly DynamicObject[];
  readonly version?: string;
}

/** Payloads that a program has in its hands. `put` changes one. */
export function memoryPayloads(
  given: Readonly<Record<string, GivenPayload>>,
): PayloadSource & { put(component: string, payload: GivenPayload | undefined): void } {
  const payloads = new Map<string, Payload>();
  const put = (component: string, payload: GivenPayload | undefined): void => {
    if (!payload) return void payloads.delete(component);
    const { objects, version } = payload;
    payloads.set(component, {
      component,
      manifest: Manifest.of(objects, component),
      digest: canonicalHash(payload),
      ...(version ? { version } : {}),
    });
  };
  for (const [component, payload] of Object.entries(given)) put(component, payload);
  return {
    components: async () => [...payloads.keys()].sort(),
    load: async (component) => payloads.get(component),
    put,
  };
}
