import { type Client, kinds } from '@tektite/client';
import { type Condition, isConditionTrue, type KubeObject, sleep } from '@tektite/meta';
import { type CustomResourceDefinition, customResourceDefinition, type Kind } from '@tektite/schema';
import { ControllerError } from '../controller-error.ts';

/** The CustomResourceDefinitions of these kinds: one for each group and kind, with all its versions. */
export function definitionsOf(all: readonly Kind[]): readonly CustomResourceDefinition[] {
  const versions = new Map<string, [Kind, ...Kind[]]>();
  for (const kind of all) {
    const name = `${kind.plural}.${kind.group}`;
    const known = versions.get(name);
    if (known) known.push(kind);
    else versions.set(name, [kind]);
  }
  return [...versions.values()].map((each) => customResourceDefinition(each));
}

/** How a server learns of a kind. */
export type DefineKind = (definition: CustomResourceDefinition) => Promise<void>;

const pollMs = 100;
const patienceMs = 60_000;

/**
 * Has the server serve these kinds: writes their definitions and waits until they are established. Fields that others set
 * in a definition, such as a conversion webhook, stay. Throws `KIND_NOT_SERVED` when a definition is not accepted.
 */
export async function installKinds(
  client: Client,
  all: readonly Kind[],
  signal?: AbortSignal,
  define: DefineKind = (definition) => applyDefinition(client, definition, signal),
): Promise<void> {
  const definitions = definitionsOf(all);
  for (const definition of definitions) await define(definition);
  for (const { metadata } of definitions) await established(client, metadata.name ?? '', signal);
}

async function applyDefinition(
  client: Client,
  definition: CustomResourceDefinition,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = { fieldManager: 'tektite-kinds', force: true, ...(signal ? { signal } : {}) };
  await client.apply(kinds.CustomResourceDefinition, definition as never, options);
}

async function established(client: Client, name: string, signal?: AbortSignal): Promise<void> {
  const until = client.clock.monotonic() + patienceMs;
  for (;;) {
    const conditions = await conditionsOf(client, name);
    if (isConditionTrue(conditions, 'Established')) return;
    if (client.clock.monotonic() >= until) {
      const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
      throw new ControllerError(
        'KIND_NOT_SERVED',
        `the definition ${name} was not established: ${refused?.message ?? 'the server did not say why'}`,
      );
    }
    await sleep(client.clock, pollMs, signal);
  }
}

async function conditionsOf(client: Client, name: string): Promise<readonly Condition[]> {
  const definition = await client.getOrUndefined<KubeObject>(kinds.CustomResourceDefinition, { name });
  return (definition as { status?: { conditions?: readonly Condition[] } } | undefined)?.status?.conditions ?? [];
}
