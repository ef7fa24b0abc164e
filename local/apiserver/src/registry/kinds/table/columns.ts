import type { TableColumn } from '../../kind-strategy.ts';

/**
 * The parts of the columns that `kubectl get` shows; each API group has its own in `columns.ts`. The descriptions are
 * part of the wire format: most are the documentation of the field that the column shows.
 */

export const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const createdDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

export function column(name: string, type: TableColumn['type'], description: string, format = ''): TableColumn {
  return { name, type, format, description, priority: 0 };
}

/** A column that only `-o wide` shows. */
export function wide(name: string, description: string, format = ''): TableColumn {
  return { name, type: 'string', format, description, priority: 1 };
}

/** The first column of nearly every kind. */
export const name = column('Name', 'string', nameDescription, 'name');
export const age = column('Age', 'string', createdDescription);
export const containers = wide('Containers', 'Names of each container in the template.');
export const images = wide('Images', 'Images referenced by each container in the template.');

/** Kinds without columns. */
export const defaultColumns: readonly TableColumn[] = [name, column('Created At', 'date', createdDescription)];
