import {
  equalJson,
  type FieldError,
  FieldPath,
  invalid,
  validatePathSegmentName,
  type Mutable,
  nameIsDnsSubdomain,
  notSupported,
  required,
} from '@tektite/meta';
import type { ClusterRoleBinding, RoleBinding, Subject } from '@tektite/schema/kubernetes';
import type { KindStrategy, TableColumn } from '../../kind-strategy.ts';
import { checkText } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { validateObjectMetaUpdate } from '../object-meta.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { clusterRoleBindingColumns, roleBindingColumns } from './columns.ts';

type Binding = RoleBinding | ClusterRoleBinding;

const group = 'rbac.authorization.k8s.io';

function defaultBinding(binding: Mutable<Binding>): void {
  // The decoder leaves out a roleRef that the author left out; every binding has one.
  const roleRef = (binding.roleRef ??= { apiGroup: '', kind: '', name: '' });
  roleRef.apiGroup ||= group;
  for (const subject of binding.subjects ?? [])
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= group;
}

function validateBinding({ roleRef, subjects }: Binding, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('roleRef');
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const { apiGroup = '', kind = '', name = '' } = roleRef ?? {};
  if (apiGroup !== group) errors.push(notSupported(path.child('apiGroup'), apiGroup, [group]));
  if (!kinds.includes(kind)) errors.push(notSupported(path.child('kind'), kind, kinds));
  if (name === '') errors.push(required(path.child('name')));
  else checkText(name, validatePathSegmentName, path.child('name'), errors);
  for (const [i, subject] of (subjects ?? []).entries())
    validateSubject(subject, namespaced, FieldPath.of('subjects').index(i), errors);
  return errors;
}

function validateSubject(subject: Subject, namespaced: boolean, path: FieldPath, errors: FieldError[]): void {
  const { kind = '', name = '', namespace, apiGroup = '' } = subject;
  if (name === '') errors.push(required(path.child('name')));
  if (kind === 'ServiceAccount') {
    if (name !== '') checkText(name, (text) => nameIsDnsSubdomain(text, false), path.child('name'), errors);
    if (apiGroup !== '') errors.push(notSupported(path.child('apiGroup'), apiGroup, ['']));
    if (!namespaced && !namespace) errors.push(required(path.child('namespace')));
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== group) errors.push(notSupported(path.child('apiGroup'), apiGroup, [group]));
  } else errors.push(notSupported(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group']));
}

function namesOf({ subjects }: Binding, kind: string): string {
  return (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
    .join(', ');
}

function bindingStrategy<T extends Binding>(namespaced: boolean, columns: readonly TableColumn[]): KindStrategy<T> {
  return {
    metadataRules: { onUpdate: 'create' },
    validateName: validatePathSegmentName,
    default: (binding) => defaultBinding(binding as Mutable<Binding>),
    validateCreate: (binding) => validateBinding(binding, namespaced),
    validateUpdate(binding, old) {
      const errors = validateBinding(binding, namespaced);
      errors.push(...validateObjectMetaUpdate(binding.metadata, old.metadata, { finalizers: 'kubernetes' }));
      if (!equalJson(binding.roleRef, old.roleRef))
        errors.push(invalid(FieldPath.of('roleRef'), goValue('RoleRef', binding.roleRef), 'cannot change roleRef'));
      return errors;
    },
    table: {
      columns,
      row: (binding, context) => [
        nameOf(binding),
        `${binding.roleRef.kind}/${binding.roleRef.name}`,
        ageOf(binding, context),
        namesOf(binding, 'User'),
        namesOf(binding, 'Group'),
        namesOf(binding, 'ServiceAccount'),
      ],
    },
    allowCreateOnUpdate: true,
  };
}

export const roleBindingStrategy = bindingStrategy<RoleBinding>(true, roleBindingColumns);
export const clusterRoleBindingStrategy = bindingStrategy<ClusterRoleBinding>(false, clusterRoleBindingColumns);
