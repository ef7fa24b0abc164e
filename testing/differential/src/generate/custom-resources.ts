import type { Operation } from '../operation.ts';
import type { Sequence } from '../run-sequence.ts';
import type { Choice } from './choice.ts';
import { customSchema } from './custom-schemas.ts';
import type { Definitions, JsonSchema } from './json-schema.ts';
import { collectionPath, sequenceLabel, type Target } from './target.ts';
import { Verbs } from './verbs.ts';

const group = '{{ns}}.example.com';
const definitionPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`;

/** A CustomResourceDefinition with a random schema, and a sequence on its objects. */
export function customResources(choice: Choice, definitions: Definitions): Sequence {
  const schema = customSchema(choice);
  const isNamespaced = choice.chance(0.8);
  const hasStatus = choice.chance(0.6);
  const hasScale = choice.chance(0.2);
  const definition = definitionOf(choice, schema, { isNamespaced, hasStatus, hasScale });
  const target: Target = {
    collection: collectionPath(`${group}/v1`, 'widgets', isNamespaced),
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    isNamespaced,
    hasStatus,
    hasScale,
    fields: { spec: {} },
    schema: schema as JsonSchema,
  };
  const verbs = new Verbs(choice, definitions);
  const served: Operation = { method: 'GET', path: `${target.collection}?labelSelector=${sequenceLabel}={{ns}}` };
  return {
    name: 'CustomResourceDefinition',
    operations: [
      { method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: definition },
      { method: 'GET', path: definitionPath, until: 'established' },
      { ...served, until: 'served' },
      ...Array.from({ length: 5 + choice.below(12) }, () => verbs.any(target)),
      ...(choice.chance(0.15) ? [verbs.watch(target)] : []),
      { method: 'DELETE', path: definitionPath },
    ],
  };
}

interface Shape {
  readonly isNamespaced: boolean;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
}

function definitionOf(choice: Choice, schema: Record<string, unknown>, { isNamespaced, hasStatus, hasScale }: Shape) {
  const subresources = {
    ...(hasStatus ? { status: {} } : {}),
    ...(hasScale
      ? {
          scale: {
            specReplicasPath: '.spec.size',
            statusReplicasPath: '.status.size',
            ...(choice.chance(0.3) ? { labelSelectorPath: choice.pick(['.status.type', 'x']) } : {}),
          },
        }
      : {}),
  };
  const columns = choice.times(2, () => ({
    name: choice.pick(['Size', 'Type', 'Age', '']),
    type: choice.pick(['string', 'integer', 'date', 'boolean', 'x']),
    jsonPath: choice.pick([
      '.spec.size',
      '.spec.type',
      '.metadata.creationTimestamp',
      '.status.a',
      'spec',
      '.spec.items[*].name',
      '.spec[',
    ]),
  }));
  const version = {
    name: choice.chance(0.97) ? 'v1' : choice.pick(['V1', '', 'v1.2']),
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    ...(Object.keys(subresources).length === 0 ? {} : { subresources }),
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
    ...(choice.chance(0.08)
      ? { selectableFields: [{ jsonPath: choice.pick(['.spec.type', '.spec.nothing', 'x', '.spec.items']) }] }
      : {}),
    ...(choice.chance(0.05)
      ? { deprecated: true, ...(choice.chance(0.5) ? { deprecationWarning: 'use another' } : {}) }
      : {}),
  };
  const second = choice.chance(0.1)
    ? [
        {
          ...version,
          name: choice.pick(['v2', 'v1', 'v1beta1']),
          storage: choice.chance(0.1),
          served: choice.chance(0.8),
        },
      ]
    : [];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: choice.chance(0.97) ? `widgets.${group}` : choice.pick(['widgets', `x.${group}`, `Widgets.${group}`]),
    },
    spec: {
      group,
      scope: choice.chance(0.97) ? (isNamespaced ? 'Namespaced' : 'Cluster') : choice.pick(['x', '']),
      names: {
        kind: 'Widget',
        plural: 'widgets',
        ...(choice.chance(0.5) ? { singular: choice.pick(['widget', 'Widget', 'x']) } : {}),
        ...(choice.chance(0.2) ? { shortNames: choice.pick([['wd'], ['Wd'], ['a', 'a'], []]) } : {}),
        ...(choice.chance(0.1) ? { listKind: choice.pick(['Widgets', 'WidgetList', 'Widget']) } : {}),
        ...(choice.chance(0.1) ? { categories: [choice.pick(['all', 'Bad'])] } : {}),
      },
      versions: [version, ...second],
      ...(choice.chance(0.05) ? { preserveUnknownFields: choice.chance(0.5) } : {}),
      ...(choice.chance(0.05)
        ? { conversion: choice.pick([{ strategy: 'None' }, { strategy: 'Webhook' }, { strategy: 'x' }, {}]) }
        : {}),
    },
  };
}
