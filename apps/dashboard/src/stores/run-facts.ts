import type { KubeObject } from '@tektite/meta';
import { visibleText } from '../run/index.ts';

export interface FactGroup {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, value: string])[];
}

interface Named {
  readonly name?: string;
  readonly value?: unknown;
}

interface RunShape extends KubeObject {
  readonly spec?: {
    readonly params?: readonly Named[];
    readonly workspaces?: readonly (Named & Record<string, unknown>)[];
    readonly serviceAccountName?: string;
    readonly timeouts?: Record<string, string>;
    readonly timeout?: string;
    readonly taskRunTemplate?: { readonly serviceAccountName?: string };
  };
  readonly status?: {
    readonly results?: readonly Named[];
    readonly pipelineResults?: readonly Named[];
    readonly podName?: string;
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly skippedTasks?: readonly {
      readonly name: string;
      readonly reason: string;
      readonly whenExpressions?: readonly unknown[];
    }[];
    readonly retriesStatus?: readonly unknown[];
  };
}

/** The facts of a run, in groups, as texts. Objects and lists are JSON. */
export function runFacts(object: KubeObject): readonly FactGroup[] {
  const { metadata, spec, status } = object as RunShape;
  const named = (list: readonly Named[] = []) => list.map(({ name = '', value }) => [name, textOf(value)] as const);
  const about: readonly (readonly [string, string | undefined])[] = [
    ['Started', status?.startTime],
    ['Completed', status?.completionTime],
    ['Pod', status?.podName],
    ['Service account', spec?.serviceAccountName ?? spec?.taskRunTemplate?.serviceAccountName],
    ['Timeout', spec?.timeout ?? (spec?.timeouts ? textOf(spec.timeouts) : undefined)],
    ['Retries', status?.retriesStatus ? String(status.retriesStatus.length) : undefined],
    ['UID', metadata.uid],
  ];
  return [
    { title: 'Params', rows: named(spec?.params) },
    { title: 'Results', rows: named(status?.results ?? status?.pipelineResults) },
    {
      title: 'Workspaces',
      rows: (spec?.workspaces ?? []).map(({ name = '', ...rest }) => [name, textOf(rest)] as const),
    },
    {
      title: 'Skipped tasks',
      rows: (status?.skippedTasks ?? []).map(({ name, reason, whenExpressions = [] }) => {
        const when = whenExpressions.map(whenText).join(' and ');
        return [name, when ? `${reason}: ${when}` : reason] as const;
      }),
    },
    { title: 'About', rows: about.filter((row): row is readonly [string, string] => Boolean(row[1])) },
    { title: 'Labels', rows: textsOf(metadata.labels) },
    { title: 'Annotations', rows: textsOf(metadata.annotations) },
  ];
}

/** `"main" in ["release"]`, or the CEL of it. */
function whenText(expression: unknown): string {
  const { input, operator, values, cel } = expression as Record<string, unknown>;
  return cel === undefined
    ? visibleText(`${textOf(JSON.stringify(input))} ${String(operator)} ${textOf(values)}`)
    : textOf(cel);
}

function textOf(value: unknown): string {
  return visibleText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function textsOf(texts: Readonly<Record<string, string>> = {}): FactGroup['rows'] {
  return Object.entries(texts).map(([name, value]) => [name, visibleText(value)] as const);
}
