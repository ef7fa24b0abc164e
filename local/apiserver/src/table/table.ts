import { formatTime, type KubeObject, type ListMeta } from '@tektite/meta';
import type { TableCell, TableColumn, TablePrinter } from '../registry/kind-strategy.ts';

/** `meta.k8s.io` Table: what `kubectl get` asks for. */
export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumn[] | null;
  readonly rows: readonly TableRow[] | null;
}

interface TableRow {
  readonly cells: readonly TableCell[];
  readonly conditions?: readonly object[];
  readonly object: object | null;
}

/** How much of the object a row carries: `?includeObject=`. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly version: string;
  readonly include: IncludeObject;
  /** A watch sends the columns with its first event only. */
  readonly headers: boolean;
  readonly now: number;
  /** The metadata of a row; that of the object unless the kind keeps some of it elsewhere. */
  readonly metadataOf?: ((object: KubeObject) => KubeObject['metadata']) | undefined;
}

/** Prints objects as a Table. */
export function makeTable(
  printer: TablePrinter<KubeObject>,
  objects: readonly KubeObject[],
  metadata: ListMeta,
  options: TableOptions,
): Table {
  const apiVersion = `meta.k8s.io/${options.version}`;
  return {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: options.headers
      ? printer.columns.map(({ name, type, format = '', description, priority }) => ({
          name,
          type,
          format,
          description,
          priority,
        }))
      : null,
    rows:
      objects.length === 0 && printer.nullWhenEmpty
        ? null
        : objects.map((object) => {
            const conditions = printer.rowConditions?.(object) ?? [];
            return {
              cells: printer.row(object, { now: options.now }),
              ...(conditions.length > 0 ? { conditions } : {}),
              ...includedObject(object, options, apiVersion),
            };
          }),
  };
}

function includedObject(
  object: KubeObject,
  { include, metadataOf }: TableOptions,
  apiVersion: string,
): { object: object | null } {
  if (include === 'None') return { object: null };
  if (include === 'Object') return { object };
  return { object: partialMetadata(object, apiVersion, metadataOf) };
}

/** An object reduced to its metadata. */
export function partialMetadata(
  object: KubeObject,
  apiVersion: string,
  metadataOf?: TableOptions['metadataOf'],
): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: metadataOf?.(object) ?? object.metadata };
}

const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

/** The first column of nearly every Table. */
export const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: nameDescription,
  priority: 0,
};

/** The table of kinds without columns: name and creation time. */
export const defaultPrinter: TablePrinter<KubeObject> = {
  nullWhenEmpty: true,
  columns: [
    nameColumn,
    {
      name: 'Created At',
      type: 'date',
      description:
        'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
      priority: 0,
    },
  ],
  row: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? formatTime(0)],
};
