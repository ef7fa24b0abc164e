import type { KubeObject } from '@tektite/meta';

/** The same run once more, whatever its result: without its name and without a request to cancel it. */
export function runAgain(run: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = run;
  const { spec = {} } = run as { spec?: object };
  const { status: _, statusMessage: __, ...wanted } = spec as Record<string, unknown>;
  const { name = '', generateName, namespace } = metadata;
  const made = { generateName: generateName ?? `${name}-`, ...(namespace ? { namespace } : {}) };
  return { apiVersion, kind, metadata: made, spec: wanted } as KubeObject;
}
