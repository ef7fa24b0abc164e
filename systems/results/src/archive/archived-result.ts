import { equalJson } from '@tektite/meta';
import { formatRecordName } from '../api/names.ts';
import { type Run, succeededOf } from '../kinds/runs.ts';
import type { NewResult, ResultRow, SummaryRow } from '../storage/storage.ts';
import { parseTimestamp } from '../wire/json.ts';
import { annotations } from './annotations.ts';
import { recordNameOf, resultNameOf } from './archived-names.ts';

type Texts = Readonly<Record<string, string>>;

/** The numbers of upstream's `RecordSummary.Status`. */
const statuses: Readonly<Record<string, number>> = {
  Succeeded: 1,
  Completed: 1,
  Failed: 2,
  TaskRunTimeout: 3,
  PipelineRunTimeout: 3,
  TaskRunCancelled: 4,
  Cancelled: 4,
  // Reasons of a Pod that could not be.
  TaskRunResolutionFailed: 2,
  TaskRunValidationFailed: 2,
  TaskValidationFailed: 2,
  ResourceVerificationFailed: 2,
  ExceededResourceQuota: 2,
  ExceededNodeResources: 2,
  TaskRunImagePullFailed: 2,
  CreateContainerConfigError: 2,
  PodCreationFailed: 2,
  PodAdmissionFailed: 2,
};

/** A run that no other owns is what its Result is about. */
export function isTopLevel({ metadata }: Run): boolean {
  return (metadata.ownerReferences ?? []).length === 0;
}

/**
 * The Result of a run: a new one, or the one that is there with what is new. `undefined`: it stays as it is.
 */
export function resultFor(
  run: Run,
  known: ResultRow | undefined,
  summaryLabels: readonly string[],
): NewResult | undefined {
  const { parent, result: name } = resultNameOf(run);
  if (!isTopLevel(run))
    return known ? undefined : { parent, name, annotations: merged(run, annotations.forResult, undefined) };
  const labels = run.metadata.labels ?? {};
  const copied = summaryLabels.filter((label) => Object.hasOwn(labels, label));
  const summary = summaryOf(run, known?.summary);
  if (known && sameSummary(summary, known.summary)) return undefined;
  return {
    parent,
    name,
    annotations: {
      ...merged(run, annotations.forResult, known?.annotations),
      ...Object.fromEntries(copied.map((label) => [label, labels[label] as string])),
      'object.metadata.name': run.metadata.name ?? '',
    },
    summary,
  };
}

function summaryOf(run: Run, known: SummaryRow | undefined): SummaryRow {
  const start = parseTimestamp(run.status?.startTime ?? '');
  const end = parseTimestamp(run.status?.completionTime ?? '');
  const extra = merged(run, annotations.forSummary, known?.annotations);
  return {
    record: formatRecordName(recordNameOf(run)),
    type: `${run.apiVersion}.${run.kind}`,
    status: statuses[succeededOf(run)?.reason ?? ''] ?? 0,
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(Object.keys(extra).length === 0 ? {} : { annotations: extra }),
  };
}

/** The JSON of an annotation that people write, over what is there. Text that is no JSON object is left out. */
function merged({ metadata }: Run, key: string, known: Texts = {}): Texts {
  const text = metadata.annotations?.[key];
  if (text === undefined) return {};
  try {
    const json = JSON.parse(text) as unknown;
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return known;
    const entries = Object.entries(json).map(([name, value]) => [name, String(value)] as const);
    return { ...known, ...Object.fromEntries(entries) };
  } catch {
    return known;
  }
}

function sameSummary(a: SummaryRow, b: SummaryRow | undefined): boolean {
  if (!b) return false;
  const { annotations: left = {}, ...first } = a;
  const { annotations: right = {}, ...second } = b;
  return equalJson({ ...first }, { ...second }) && equalJson(left, right);
}
