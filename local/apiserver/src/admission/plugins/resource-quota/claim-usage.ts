import { labelSelectorOf, Quantity } from '@tektite/meta';
import type { PersistentVolumeClaim } from '@tektite/schema/kubernetes';
import { countName } from './count-usage.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';

const count = countName('', 'persistentvolumeclaims');
const resources = ['persistentvolumeclaims', 'requests.storage'];
const perClass = '.storageclass.storage.k8s.io/';
const attributesScope = 'VolumeAttributesClass';

/** Claims count, and so does the storage they ask for: all of it, and that of their class. */
export const claimEvaluator: QuotaEvaluator = {
  handles({ operation, subresource, object, oldObject }) {
    if (subresource === '') return operation === 'CREATE' || operation === 'UPDATE';
    if (subresource !== 'status' || !object || !oldObject) return false;
    const before = oldObject as PersistentVolumeClaim;
    const after = object as PersistentVolumeClaim;
    return (
      before.status?.allocatedResources?.storage !== after.status?.allocatedResources?.storage ||
      attributesClasses(before).join() !== attributesClasses(after).join()
    );
  },
  counts: (resource) =>
    resource === count ||
    resources.includes(resource) ||
    resources.some((name) => resource.endsWith(`${perClass}${name}`)),
  usage(object) {
    const claim = object as PersistentVolumeClaim;
    const usage = new Map([
      ['persistentvolumeclaims', Quantity.of(1)],
      [count, Quantity.of(1)],
    ]);
    const storageClass =
      claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? claim.spec?.storageClassName ?? '';
    if (storageClass !== '') usage.set(`${storageClass}${perClass}persistentvolumeclaims`, Quantity.of(1));
    const storage = storageOf(claim);
    if (storage) {
      usage.set('requests.storage', storage);
      if (storageClass !== '') usage.set(`${storageClass}${perClass}requests.storage`, storage);
    }
    return usage;
  },
  inScope(object, { scopeName, operator, values }) {
    if (scopeName !== attributesScope) return false;
    const names = attributesClasses(object as PersistentVolumeClaim);
    if (operator === 'Exists') return names.length > 0;
    const selector = labelSelectorOf({ matchExpressions: [{ key: attributesScope, operator, values: values ?? [] }] });
    if (names.length === 0) return selector.matches({});
    return names.some((name) => selector.matches({ [attributesScope]: name }));
  },
};

/** The requested size or, while a volume shrinks back from a failed expansion, the allocated one. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const text = spec?.resources?.requests?.storage;
  if (text === undefined) return undefined;
  const asked = Quantity.parse(text);
  const given = status?.allocatedResources?.storage;
  return given !== undefined && Quantity.parse(given).compare(asked) > 0 ? Quantity.parse(given) : asked;
}

function attributesClasses({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name): name is string => !!name))].sort();
}
