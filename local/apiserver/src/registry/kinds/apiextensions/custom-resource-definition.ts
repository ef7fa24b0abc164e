import { equalJson, type Mutable, quoteGo } from '@tektite/meta';
import {
  type CustomResourceDefinition,
  unrecognizedFormats,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
  validateCustomResourceDefinitionUpdate,
} from '@tektite/schema';
import { metadataRules } from './metadata-rules.ts';
import type { KindStrategy } from '../../kind-strategy.ts';
import { keepStatus } from '../prepare.ts';
import { defaultTable } from '../table/cells.ts';

type Definition = CustomResourceDefinition;

function defaultDefinition(definition: Mutable<Definition>): void {
  const { spec } = definition;
  if (!spec) return;
  const names = (spec.names ??= {} as Mutable<Definition['spec']['names']>);
  if (!names.singular && names.kind) names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
  const conversion = (spec.conversion ??= { strategy: 'None' });
  const service = conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
  if (!definition.status?.storedVersions?.length) noteStoredVersion(definition);
}

/** The version that is stored now is one of those that ever were. */
function noteStoredVersion(definition: Mutable<Definition>): void {
  const stored = definition.spec?.versions?.find(({ storage }) => storage)?.name;
  const status = (definition.status ??= {});
  if (stored !== undefined && !status.storedVersions?.includes(stored))
    status.storedVersions = [...(status.storedVersions ?? []), stored];
}

function formatWarnings(definition: Definition, old: Definition | undefined): string[] {
  const known = old ? unrecognizedFormats(old) : [];
  return unrecognizedFormats(definition)
    .filter((format) => !known.includes(format))
    .map((format) => `unrecognized format ${quoteGo(format)}`);
}

export const customResourceDefinitionStrategy: KindStrategy<Definition> = {
  metadataRules: { finalizers: 'any' },
  default: defaultDefinition,
  prepareForCreate(definition) {
    definition.status = {};
    noteStoredVersion(definition);
  },
  prepareForUpdate(definition, old) {
    keepStatus(definition, old);
    definition.status = structuredClone(definition.status ?? {});
    noteStoredVersion(definition);
  },
  validateCreate: (definition) => validateCustomResourceDefinition(definition, metadataRules),
  validateUpdate: (definition, old) => validateCustomResourceDefinitionUpdate(definition, old, metadataRules),
  subresources: { status: { validateUpdate: validateCustomResourceDefinitionStatus } },
  warnings: formatWarnings,
  table: defaultTable,
  generationChanged: (definition, old) => !equalJson(definition.spec, old.spec),
  allowUnconditionalUpdate: false,
};
