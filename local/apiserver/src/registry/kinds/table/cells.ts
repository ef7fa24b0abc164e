import { humanDuration, instantToMilliseconds, type KubeObject, parseTime } from '@tektite/meta';
import type { Container } from '@tektite/schema/kubernetes';
import type { TablePrinter } from '../../kind-strategy.ts';
import { defaultColumns } from './columns.ts';

/** How values look in a table. */

/** The time since `timestamp`, as `kubectl` shows ages. */
export function since(timestamp: string | null | undefined, now: number): string {
  if (!timestamp) return '<unknown>';
  return humanDuration(now - instantToMilliseconds(parseTime(timestamp)));
}

export const ageOf = (object: KubeObject, { now }: { readonly now: number }): string =>
  since(object.metadata.creationTimestamp, now);

export const nameOf = (object: KubeObject): string => object.metadata.name ?? '';

/** Names and images of containers, each joined by commas. */
export function containerCells(containers: readonly Container[] | null | undefined): [string, string] {
  const list = containers ?? [];
  return [list.map(({ name }) => name).join(','), list.map(({ image }) => image ?? '').join(',')];
}

/** `a=1,b=2`, in order; `<none>` for nothing. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const text = Object.keys(labels ?? {})
    .sort()
    .map((key) => `${key}=${labels?.[key]}`)
    .join(',');
  return text === '' ? '<none>' : text;
}

/** The first three of a list, and how many more there are. */
export function firstThree(list: readonly string[]): string {
  const text = list.slice(0, 3).join(',');
  if (list.length > 3) return `${text} + ${list.length - 3} more...`;
  return text === '' ? '<unset>' : text;
}

/** The table of kinds without columns. */
export const defaultTable: TablePrinter<KubeObject> = {
  nullWhenEmpty: true,
  columns: defaultColumns,
  row: (object) => [nameOf(object), object.metadata.creationTimestamp ?? null],
};
