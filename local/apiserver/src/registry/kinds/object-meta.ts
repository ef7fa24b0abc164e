import {
  type FieldError,
  FieldPath,
  forbidden,
  formatApiVersion,
  invalid,
  validateQualifiedName,
  type ManagedFieldsEntry,
  type NameRule,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  type ObjectMeta,
  type OwnerReference,
  parseApiVersion,
  quoteGo,
  required,
  tooLong,
  utf8Length,
  validateLabels,
} from '@tektite/meta';

/** Which finalizers an object may have: kinds of Kubernetes proper know three short names, others want any name. */
export type FinalizerRule = 'kubernetes' | 'any';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** Default: a DNS subdomain. */
  readonly validateName?: NameRule;
  /** Default: `metadata`. */
  readonly path?: FieldPath;
  /** Default: `any`. */
  readonly finalizers?: FinalizerRule;
}

const immutableField = 'field is immutable';
const annotationsLimit = 256 * 1024;
const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/**
 * Validates the metadata of a new object, after its name was generated.
 *
 * @example validateObjectMeta({ name: 'a', namespace: 'b', labels: { 'c!': '' } }, { namespaced: true })
 */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  const { namespaced, validateName = nameIsDnsSubdomain, path = FieldPath.of('metadata') } = rules;
  const errors: FieldError[] = [];
  const { name = '', generateName = '', namespace = '' } = meta;
  if (generateName !== '')
    for (const violation of validateName(generateName, true))
      errors.push(invalid(path.child('generateName'), generateName, violation));
  if (name === '') errors.push(required(path.child('name'), 'name or generateName is required'));
  else for (const violation of validateName(name, false)) errors.push(invalid(path.child('name'), name, violation));
  validateNamespace(namespace, namespaced, path.child('namespace'), errors);
  if ((meta.generation ?? 0) < 0)
    errors.push(invalid(path.child('generation'), meta.generation, 'must be greater than or equal to 0'));
  errors.push(...validateLabels(meta.labels, path.child('labels')));
  validateAnnotations(meta.annotations, path.child('annotations'), errors);
  validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences'), errors);
  validateFinalizers(meta.finalizers, path.child('finalizers'), errors);
  validateManagedFields(meta.managedFields, path.child('managedFields'), errors);
  if (rules.finalizers === 'kubernetes') validateShortFinalizers(meta.finalizers, path.child('finalizers'), errors);
  return errors;
}

/** Validates a change of metadata. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  rules: { readonly path?: FieldPath; readonly finalizers?: FinalizerRule } = {},
): FieldError[] {
  const path = rules.path ?? FieldPath.of('metadata');
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined)
    validateNoNewFinalizers(meta.finalizers ?? [], old.finalizers ?? [], path.child('finalizers'), errors);
  if (!meta.resourceVersion) errors.push(invalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  if ((meta.generation ?? 0) < (old.generation ?? 0))
    errors.push(invalid(path.child('generation'), meta.generation ?? 0, 'must not be decremented'));
  for (const field of ['name', 'namespace', 'uid'] as const)
    if ((meta[field] ?? '') !== (old[field] ?? ''))
      errors.push(invalid(path.child(field), meta[field] ?? '', immutableField));
  for (const field of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    if ((meta[field] ?? null) !== (old[field] ?? null))
      errors.push(invalid(path.child(field), meta[field] ?? null, immutableField));
  errors.push(...validateLabels(meta.labels, path.child('labels')));
  validateAnnotations(meta.annotations, path.child('annotations'), errors);
  validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences'), errors);
  validateManagedFields(meta.managedFields, path.child('managedFields'), errors);
  if (rules.finalizers === 'kubernetes') validateShortFinalizers(meta.finalizers, path.child('finalizers'), errors);
  return errors;
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath, errors: FieldError[]): void {
  if (!namespaced) {
    if (namespace !== '') errors.push(forbidden(path, 'not allowed on this type'));
  } else if (namespace === '') errors.push(required(path));
  else for (const violation of nameIsDnsLabel(namespace, false)) errors.push(invalid(path, namespace, violation));
}

/** Validates annotations. Their keys may be in any case, and together they may not exceed 256 KiB. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  let size = 0;
  for (const key in annotations) {
    for (const violation of validateQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, violation));
    size += utf8Length(key) + utf8Length(annotations[key] as string);
  }
  if (size > annotationsLimit) errors.push(tooLong(path, annotationsLimit));
}

function validateOwnerReferences(
  references: readonly OwnerReference[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  let controller = '';
  for (const reference of references ?? []) {
    validateOwnerReference(reference, path, errors);
    if (!reference.controller) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') controller = name;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(invalid(path, references?.map(printableReference), detail));
    }
  }
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath, errors: FieldError[]): void {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const groupVersion = parseApiVersion(apiVersion);
  if (!groupVersion?.version) errors.push(invalid(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  if (kind === '') errors.push(invalid(path.child('kind'), kind, 'must not be empty'));
  if (name === '') errors.push(invalid(path.child('name'), name, 'must not be empty'));
  if (uid === '') errors.push(invalid(path.child('uid'), uid, 'must not be empty'));
  if (groupVersion && formatApiVersion(groupVersion) === 'v1' && kind === 'Event')
    errors.push(invalid(path, printableReference(reference), '/v1, Kind=Event is disallowed from being an owner'));
}

/** The fields of a reference in the order in which Go prints them. */
function printableReference(reference: OwnerReference): OwnerReference {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath, errors: FieldError[]): void {
  for (const finalizer of finalizers ?? []) validateFinalizerName(finalizer, path, errors);
  if (finalizers?.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
}

/** Validates that a finalizer is a label key. */
export function validateFinalizerName(finalizer: string, path: FieldPath, errors: FieldError[]): void {
  for (const violation of validateQualifiedName(finalizer)) errors.push(invalid(path, finalizer, violation));
}

/** Validates that a finalizer without a domain is one of the three that Kubernetes itself uses. */
export function validateShortFinalizer(finalizer: string, path: FieldPath, errors: FieldError[]): void {
  if (finalizer.includes('/') || standardFinalizers.has(finalizer)) return;
  errors.push(invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
}

function validateShortFinalizers(
  finalizers: readonly string[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, finalizer] of (finalizers ?? []).entries()) validateShortFinalizer(finalizer, path.index(i), errors);
}

function validateNoNewFinalizers(
  finalizers: readonly string[],
  old: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const added = [...new Set(finalizers)].filter((finalizer) => !old.includes(finalizer)).sort();
  if (added.length === 0) return;
  const list = added.map(quoteGo).join(', ');
  errors.push(
    forbidden(
      path,
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  );
}

function validateManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, { operation = '', fieldsType = '', manager = '', subresource = '' }] of (entries ?? []).entries()) {
    const entryPath = path.index(i);
    if (operation !== 'Apply' && operation !== 'Update')
      errors.push(invalid(entryPath.child('operation'), operation, 'must be `Apply` or `Update`'));
    if (fieldsType !== '' && fieldsType !== 'FieldsV1')
      errors.push(invalid(entryPath.child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
    validateFieldManager(manager, entryPath.child('manager'), errors);
    if (utf8Length(subresource) > 256) errors.push(tooLong(entryPath.child('subresource'), 256));
  }
}

/** Validates the name of a field manager, in metadata or in the query of a request. */
export function validateFieldManager(manager: string, path: FieldPath, errors: FieldError[]): void {
  if (utf8Length(manager) > 128) errors.push(tooLong(path, 128));
  let position = 0;
  for (const char of manager) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) {
      const code = (char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += utf8Length(char);
  }
}
