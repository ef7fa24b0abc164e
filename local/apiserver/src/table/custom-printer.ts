import { humanDuration, instantToMilliseconds, type KubeObject, parseTime } from '@tektite/meta';
import { canonicalJson } from '@tektite/schema';
import type { CustomResourceColumnDefinition } from '@tektite/schema/kubernetes';
import { formatFloat } from '@tektite/schema/yaml';
import { readAll } from '../json-path/json-path.ts';
import type { TableCell, TableColumn, TablePrinter } from '../registry/kind-strategy.ts';
import { nameColumn } from './table.ts';

const ageColumn: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
};

/** Prints custom resources by the columns of their CRD: the name first, and the age when the CRD names no column. */
export function customPrinter(
  definitions: readonly CustomResourceColumnDefinition[] | undefined,
): TablePrinter<KubeObject> {
  const columns = definitions && definitions.length > 0 ? definitions : [ageColumn];
  return {
    columns: [nameColumn, ...columns.map(describe)],
    row: (object, { now }) => [object.metadata.name ?? '', ...columns.map((column) => cell(object, column, now))],
  };
}

function describe({
  name,
  type,
  format,
  description,
  priority,
  jsonPath,
}: CustomResourceColumnDefinition): TableColumn {
  return {
    name,
    type: type as TableColumn['type'],
    format: format ?? '',
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
  };
}

function cell(object: KubeObject, { jsonPath, type }: CustomResourceColumnDefinition, now: number): TableCell {
  let values: readonly unknown[];
  try {
    values = readAll(object, jsonPath);
  } catch {
    return null;
  }
  const [value] = values;
  if (value === null && type === 'string') return '<no value>';
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? formatAge(value, now) : null;
    default:
      return cellText(value);
  }
}

function cellText(value: unknown): string {
  if (typeof value === 'object') return canonicalJson(value);
  return typeof value === 'number' ? formatFloat(value) : String(value as string | bigint | boolean);
}

function formatAge(time: string, now: number): string {
  if (time === '') return '<unknown>';
  try {
    return humanDuration(now - instantToMilliseconds(parseTime(time)));
  } catch {
    return '<invalid>';
  }
}
