import { type Client, isClientError } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';

/** The autoscalers of a namespace. Which one scales an object only they themselves say. */
export async function listAutoscalers(
  client: Client,
  namespace: string,
  signal?: AbortSignal,
): Promise<readonly DynamicObject[]> {
  const kind = 'HorizontalPodAutoscaler';
  const options = { ...(namespace ? { namespace } : {}), ...(signal ? { signal } : {}) };
  for (const apiVersion of ['autoscaling/v2', 'autoscaling/v2beta2']) {
    try {
      return (await client.list({ apiVersion, kind }, options)).items;
    } catch (error) {
      if (!isClientError(error, 'UNKNOWN_KIND')) throw error;
    }
  }
  return [];
}

export function autoscalerIn(
  autoscalers: readonly DynamicObject[],
  { kind, metadata }: DynamicObject,
): DynamicObject | undefined {
  return autoscalers.find(({ spec }) => {
    const { scaleTargetRef } = (spec ?? {}) as { scaleTargetRef?: { kind?: string; name?: string } };
    return scaleTargetRef?.kind === kind && scaleTargetRef.name === metadata.name;
  });
}
