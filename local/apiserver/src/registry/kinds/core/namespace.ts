import { type FieldError, FieldPath, invalid, type Mutable, nameIsDnsLabel } from '@tektite/meta';
import type { Namespace } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { validateFinalizerName, validateShortFinalizer } from '../object-meta.ts';
import { keepStatus, setField } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { namespaceColumns } from './columns.ts';

const nameLabel = 'kubernetes.io/metadata.name';
const finalizersPath = FieldPath.of('spec', 'finalizers');

/** Every namespace carries its name as a label, so that it can be selected by it. */
function labelWithName(namespace: Mutable<Namespace>): void {
  const { name } = namespace.metadata;
  if (name) namespace.metadata.labels = { ...namespace.metadata.labels, [nameLabel]: name };
  namespace.status ??= {};
  namespace.status.phase ||= 'Active';
}

function validateFinalizers(
  finalizers: readonly string[] | undefined,
  pathOf: (index: number) => FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, finalizer] of (finalizers ?? []).entries()) {
    validateFinalizerName(finalizer, pathOf(i), errors);
    validateShortFinalizer(finalizer, pathOf(i), errors);
  }
  return errors;
}

const validateNamespace = ({ spec }: Namespace): FieldError[] =>
  validateFinalizers(spec?.finalizers, () => finalizersPath);

export const namespaceStrategy: KindStrategy<Namespace> = {
  metadataRules: { onUpdate: 'both' },
  validateName: nameIsDnsLabel,
  default: labelWithName,
  prepareForCreate(namespace) {
    namespace.status = { phase: 'Active' };
    namespace.spec ??= {};
    const finalizers = namespace.spec.finalizers ?? [];
    if (!finalizers.includes('kubernetes')) namespace.spec.finalizers = [...finalizers, 'kubernetes'];
  },
  prepareForUpdate(namespace, old) {
    namespace.spec ??= {};
    setField(namespace.spec, 'finalizers', old.spec?.finalizers);
    keepStatus(namespace, old);
  },
  validateCreate: validateNamespace,
  validateUpdate: validateNamespace,
  subresources: {
    status: {
      prepareForUpdate: (namespace, old) => setField(namespace, 'spec', old.spec),
      validateUpdate({ metadata, status }) {
        const phase = status?.phase ?? '';
        const deleted = metadata.deletionTimestamp !== undefined;
        if (phase === (deleted ? 'Terminating' : 'Active')) return [];
        const detail = deleted
          ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
          : "may only be 'Active' if `deletionTimestamp` is empty";
        return [invalid('status.Phase', phase, detail)];
      },
    },
    finalize: {
      prepareForUpdate: keepStatus,
      validateUpdate: ({ spec }) => validateFinalizers(spec?.finalizers, (i) => finalizersPath.index(i)),
    },
  },
  selectableFields: ['status.phase'],
  fields: ({ status }) => ({ 'status.phase': status?.phase ?? '' }),
  table: {
    columns: namespaceColumns,
    row: (namespace, context) => [nameOf(namespace), namespace.status?.phase ?? '', ageOf(namespace, context)],
  },
  returnDeletedObject: true,
};
