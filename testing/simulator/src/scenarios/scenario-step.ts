import { ignoreNotFound, keyOf, mergePatch } from '@tektite/client';
import { type DynamicObject, isConditionTrue } from '@tektite/meta';
import type { World } from '../world/world.ts';

/** One act of the users of a scenario file. */
export type ScenarioStep =
  | { readonly type: 'apply'; readonly object: DynamicObject }
  | { readonly type: 'patch'; readonly object: DynamicObject }
  | { readonly type: 'delete'; readonly object: DynamicObject }
  | { readonly type: 'wait'; readonly milliseconds: number }
  /** Until the object has a condition that is True, or for ten minutes. */
  | { readonly type: 'until'; readonly object: DynamicObject; readonly condition: string };

const patienceMs = 600_000;
const pollMs = 1000;
/** Between two steps, unless the file says how long. */
const pauseMs = 5000;
/** How often a user tries a write again that was denied: a webhook may be down. */
const maxTries = 600;

/** Performs the steps, one after the other. */
export async function performSteps(world: World, steps: readonly ScenarioStep[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    await performStep(world, step);
    if (step.type !== 'wait' && steps[index + 1]?.type !== 'wait') await world.sleep(pauseMs);
  }
}

async function performStep(world: World, step: ScenarioStep): Promise<void> {
  const { client, sleep } = world;
  if (step.type === 'wait') return sleep(step.milliseconds);
  const { object } = step;
  const { name = '', namespace } = object.metadata;
  const key = keyOf({ ...object, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } });
  switch (step.type) {
    case 'apply':
      return insist(world, () =>
        client.apply(object, { ...object, metadata: { ...object.metadata, name } }, { force: true }),
      );
    case 'patch':
      return insist(world, () => client.patch(object, key, mergePatch(patchOf(object))));
    case 'delete':
      return insist(world, () => client.delete(object, key).catch(ignoreNotFound));
    case 'until':
      for (let waited = 0; waited < patienceMs; waited += pollMs) {
        const found = (await client.getOrUndefined(object, key)) as WithConditions | undefined;
        if (isConditionTrue(found?.status?.conditions, step.condition)) return;
        await sleep(pollMs);
      }
  }
}

type WithConditions = DynamicObject & { readonly status?: { readonly conditions?: never } };

/** Users try again. */
async function insist(world: World, write: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await write();
      return;
    } catch (error) {
      if (tries === maxTries) throw error;
      await world.sleep(pollMs);
    }
  }
}

function patchOf({ apiVersion: _, kind: __, metadata, ...rest }: DynamicObject): object {
  const { name: ___, namespace: ____, ...more } = metadata;
  return { ...rest, ...(Object.keys(more).length > 0 ? { metadata: more } : {}) };
}
