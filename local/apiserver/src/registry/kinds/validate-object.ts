import { type FieldError, type KubeObject, nameIsPathSegment } from '@tektite/meta';
import type { KindStrategy, StrategyContext } from '../kind-strategy.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

/** Where an object lives: what its kind, not its strategy, decides. */
export interface ObjectScope {
  readonly namespaced: boolean;
}

/**
 * Everything that is wrong with a new object: its metadata, then the rules of its kind. The rules of every object come
 * last and only when all else is well, so that a user reads the more precise words of the kind.
 */
export function validateNewObject<T extends KubeObject>(
  strategy: KindStrategy<T>,
  object: T,
  scope: ObjectScope,
  context: StrategyContext,
): FieldError[] {
  const errors = ownMetadataErrors(strategy, object, scope);
  for (const error of strategy.validateCreate?.(object, context) ?? []) errors.push(error);
  if (errors.length > 0) return errors;
  return validateObjectMeta(object.metadata, rulesOfEveryObject(scope));
}

/**
 * Everything that is wrong with a change of an object, or of the part of it that `subresource` owns. Upstream applies
 * the rules of every object and those of the kind one after the other, so the same cause may be listed several times.
 */
export function validateChangedObject<T extends KubeObject>(
  strategy: KindStrategy<T>,
  object: T,
  old: T,
  scope: ObjectScope,
  context: StrategyContext,
  subresource?: string,
): FieldError[] {
  const { onUpdate = 'update', finalizers = 'kubernetes' } = strategy.metadataRules ?? {};
  const part = subresource === undefined ? undefined : strategy.subresources?.[subresource];
  const errors = [
    ...validateObjectMeta(object.metadata, rulesOfEveryObject(scope)),
    ...validateObjectMetaUpdate(object.metadata, old.metadata),
  ];
  if (onUpdate === 'update' || onUpdate === 'both')
    errors.push(...validateObjectMetaUpdate(object.metadata, old.metadata, { finalizers }));
  const runsCreate = onUpdate === 'create' || onUpdate === 'both' || onUpdate === 'create-then-update';
  if (subresource === undefined && runsCreate) errors.push(...ownMetadataErrors(strategy, object, scope));
  const own =
    subresource === undefined
      ? strategy.validateUpdate?.(object, old, context)
      : part?.validateUpdate?.(object, old, context);
  for (const error of own ?? []) errors.push(error);
  if (onUpdate === 'create-then-update')
    errors.push(...validateObjectMetaUpdate(object.metadata, old.metadata, { finalizers }));
  return errors;
}

const everyNamespaced = { namespaced: true, validateName: nameIsPathSegment };
const everyClusterWide = { namespaced: false, validateName: nameIsPathSegment };

/** The metadata rules of objects of any kind. */
function rulesOfEveryObject({ namespaced }: ObjectScope): typeof everyNamespaced {
  return namespaced ? everyNamespaced : everyClusterWide;
}

function ownMetadataErrors<T extends KubeObject>(
  strategy: KindStrategy<T>,
  object: T,
  { namespaced }: ObjectScope,
): FieldError[] {
  const { onCreate = true, finalizers = 'kubernetes' } = strategy.metadataRules ?? {};
  if (!onCreate) return [];
  const validateName = strategy.validateName;
  return validateObjectMeta(object.metadata, {
    namespaced,
    finalizers,
    ...(validateName !== undefined && { validateName: (name, prefix) => validateName.call(strategy, name, prefix) }),
  });
}
