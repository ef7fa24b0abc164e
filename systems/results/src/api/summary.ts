import { jsonText } from '../filter/evaluate.ts';
import type { SummaryRequest } from '../wire/messages.ts';
import { parseTimestamp } from '../wire/json.ts';
import { ApiError, codes, invalidArgument } from './api-error.ts';

/** More groups than that are no summary. */
const maxGroups = 10_000;

interface Group {
  readonly value: string | number | null | undefined;
  count: number;
  durations: number;
  sum: number;
  min: number;
  max: number;
  lastStart: number | undefined;
  readonly reasons: Map<string, number>;
}

/** The numbers that a summary may ask for. Durations are texts, as PostgreSQL prints intervals. */
const numbers: Readonly<Record<string, (group: Group) => string | number | null>> = {
  total: ({ count }) => count,
  avg_duration: ({ sum, durations }) => interval(durations === 0 ? undefined : sum / durations),
  max_duration: ({ max, durations }) => interval(durations === 0 ? undefined : max),
  min_duration: ({ min, durations }) => interval(durations === 0 ? undefined : min),
  total_duration: ({ sum, durations }) => interval(durations === 0 ? undefined : sum),
  last_runtime: ({ lastStart }) => (lastStart === undefined ? null : lastStart / 1e6),
  succeeded: ({ reasons }) => (reasons.get('Succeeded') ?? 0) + (reasons.get('Completed') ?? 0),
  failed: ({ reasons }) => reasons.get('Failed') ?? 0,
  cancelled: ({ reasons }) => reasons.get('Cancelled') ?? 0,
  running: ({ reasons }) => reasons.get('Running') ?? 0,
  others: ({ reasons }) =>
    [...reasons].reduce((sum, [reason, count]) => (namedReasons.has(reason) ? sum : sum + count), 0),
};

const namedReasons = new Set(['Failed', 'Succeeded', 'Cancelled', 'Running', 'Completed']);
const timeUnits = new Set(['year', 'month', 'week', 'day', 'hour', 'minute']);
const textGroups: Readonly<Record<string, readonly string[] | undefined>> = {
  namespace: undefined,
  pipeline: ['metadata', 'labels', 'tekton.dev/pipeline'],
  repository: ['metadata', 'annotations', 'pipelinesascode.tekton.dev/repository'],
};

/** Adds up records one by one. */
export interface SummaryPlan {
  add(data: unknown): void;
  finish(): readonly Readonly<Record<string, unknown>>[];
}

export function planSummary(request: SummaryRequest): SummaryPlan {
  const names = (request.summary?.trim() || 'total').split(',');
  for (const name of names)
    if (!Object.hasOwn(numbers, name)) throw invalidArgument(`invalid aggregate query: ${name}`);
  const groupBy = request.group_by?.trim() ?? '';
  const groupOf = groupBy === '' ? undefined : readGroup(groupBy);
  const order = groupOf ? readOrder(request.order_by?.trim() ?? '', names) : undefined;
  const groups = new Map<unknown, Group>();
  const groupFor = (value: Group['value']): Group => {
    const known = groups.get(value);
    if (known) return known;
    if (groups.size >= maxGroups) throw new ApiError(codes.resourceExhausted, `more than ${maxGroups} groups`);
    const group: Group = {
      value,
      count: 0,
      durations: 0,
      sum: 0,
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
      lastStart: undefined,
      reasons: new Map(),
    };
    groups.set(value, group);
    return group;
  };
  if (!groupOf) groupFor(undefined);
  return {
    add: (data) => addTo(groupFor(groupOf?.(data)), data),
    finish() {
      const rows = [...groups.values()].map((group) => ({
        ...Object.fromEntries(names.map((name) => [name, numbers[name]?.(group)])),
        ...(groupOf ? { group_value: group.value ?? null } : {}),
      }));
      return order ? rows.sort(order) : rows;
    },
  };
}

function addTo(group: Group, data: unknown): void {
  const start = timeAt(data, ['status', 'startTime']);
  const end = timeAt(data, ['status', 'completionTime']);
  group.count++;
  if (start !== undefined) group.lastStart = Math.max(group.lastStart ?? start, start);
  if (start !== undefined && end !== undefined) {
    const duration = end - start;
    group.durations++;
    group.sum += duration;
    group.min = Math.min(group.min, duration);
    group.max = Math.max(group.max, duration);
  }
  const reason = jsonText(data, ['status', 'conditions', 0, 'reason']);
  if (reason !== undefined) group.reasons.set(reason, (group.reasons.get(reason) ?? 0) + 1);
}

function timeAt(data: unknown, path: readonly (string | number)[]): number | undefined {
  const text = jsonText(data, path);
  return text === undefined ? undefined : parseTimestamp(text);
}

function readGroup(text: string): (data: unknown) => string | number | null {
  const [name = '', ...rest] = text.split(' ');
  const unknown = (what: string) => invalidArgument(`group_by does not recognize ${what}`);
  if (timeUnits.has(name)) {
    const [field] = rest;
    if (rest.length > 1) throw unknown(text);
    if (field !== undefined && field !== 'completionTime' && field !== 'startTime') throw unknown(field);
    const path = field === undefined ? ['metadata', 'creationTimestamp'] : ['status', field];
    return (data) => truncated(timeAt(data, path), name);
  }
  if (!Object.hasOwn(textGroups, name) || rest.length > 0) throw unknown(text);
  const path = textGroups[name];
  return (data) => {
    const namespace = jsonText(data, ['metadata', 'namespace']) ?? null;
    return path === undefined ? namespace : `${namespace ?? ''}/${jsonText(data, path) ?? ''}`;
  };
}

/** The start of the year, month … that a time is in, in seconds, in UTC. Weeks begin on Mondays. */
function truncated(micros: number | undefined, unit: string): number | null {
  if (micros === undefined) return null;
  const date = new Date(micros / 1000);
  if (unit === 'minute') date.setUTCSeconds(0, 0);
  else if (unit === 'hour') date.setUTCMinutes(0, 0, 0);
  else date.setUTCHours(0, 0, 0, 0);
  if (unit === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (unit === 'month' || unit === 'year') date.setUTCDate(1);
  if (unit === 'year') date.setUTCMonth(0);
  return date.getTime() / 1000;
}

type Row = Readonly<Record<string, unknown>>;

function readOrder(text: string, names: readonly string[]): ((a: Row, b: Row) => number) | undefined {
  if (text === '') return undefined;
  const [, field, direction] = /^([\w.]+) (ASC|asc|DESC|desc)$/.exec(text) ?? [];
  if (field === undefined || direction === undefined) throw invalidArgument(`order_by does not recognize ${text}`);
  if (!names.includes(field)) throw invalidArgument(`field name ${field} is not allowed, must be one of summary`);
  const sign = direction.toUpperCase() === 'DESC' ? -1 : 1;
  return (a, b) => sign * compare(a[field], b[field]);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return intervalMicros(String(a)) - intervalMicros(String(b));
}

/** `1 day 02:03:04.5`. */
function interval(micros: number | undefined): string | null {
  if (micros === undefined) return null;
  const sign = micros < 0 ? '-' : '';
  const rest = Math.abs(Math.round(micros));
  const days = Math.floor(rest / 86_400e6);
  const seconds = Math.floor(rest / 1e6) % 86_400;
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  const fraction = String(rest % 1e6)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const head = days === 0 ? '' : `${sign}${days} ${days === 1 ? 'day' : 'days'} `;
  return `${head}${sign}${clock}${fraction === '' ? '' : `.${fraction}`}`;
}

function intervalMicros(text: string): number {
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] =
    /^(?:(-?\d+) days? )?-?(\d+):(\d+):([\d.]+)$/.exec(text) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return Number(days) * 86_400e6 + (text.includes('-') ? -1 : 1) * size * 1e6;
}
