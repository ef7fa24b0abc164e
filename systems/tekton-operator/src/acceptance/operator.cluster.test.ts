import type { Client } from '@tektite/client';
import { definitionsOf } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import { startRealControlPlane } from '@tektite/testkit';
import { vi } from 'vitest';
import { allKinds } from '../kinds/all-kinds.ts';
import { TektonHub } from '../kinds/tekton-hub.ts';
import { operatorCases } from './operator.cases.ts';

const all = [...allKinds, TektonHub];

/** A server of 1.20, compiled with a newer Go than it was made for, takes empty texts for null: it gets no such defaults. */
async function installWithoutEmptyDefaults(client: Client): Promise<void> {
  const definitions = definitionsOf(all).map(
    (definition) =>
      JSON.parse(
        JSON.stringify(definition, (key, value: unknown) => (key === 'default' && value === '' ? undefined : value)),
      ) as KubeObject,
  );
  for (const definition of definitions) await client.apply(definition as never, { force: true });
  for (const { plural } of all) {
    const path = `/apis/operator.tekton.dev/v1alpha1/${plural}`;
    await vi.waitFor(() => client.request({ method: 'GET', path }), 30_000);
  }
}

operatorCases(() => startRealControlPlane(), installWithoutEmptyDefaults);
