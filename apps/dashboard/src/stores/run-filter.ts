import type { RunState } from '../run/index.ts';
import type { RunSummary } from './run-summary.ts';

/** Decides whether a run is shown. */
export type RunFilter = (run: RunSummary, now: number) => boolean;

const ageUnits: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads the text of the filter: words are parts of the name or of the Pipeline; `pipeline:build`, `reason:Timeout`, `since:2h`;
 * `team=web`, `team!=web` and `team` behind `label:` are labels. Upper and lower case are the same. All must hold.
 */
export function parseRunFilter(text: string): RunFilter {
  const parts = text.split(/\s+/).filter(Boolean).map(parsePart);
  return (run, now) => parts.every((part) => part(run, now));
}

/**
 * The parts of a filter that an archive can answer: words, and labels with one value. The rest is for {@link parseRunFilter}.
 * Names have lower case.
 */
export function runFilterTerms(text: string): { readonly words: readonly string[]; readonly labelSelector?: string } {
  const parts = text.split(/\s+/).filter(Boolean);
  const labels = parts.filter((part) => /^[\w./-]+=[\w.-]*$/.test(part));
  const words = parts.filter((part) => /^[\w.-]+$/.test(part)).map((word) => word.toLowerCase());
  return { words, ...(labels.length > 0 ? { labelSelector: labels.join(',') } : {}) };
}

function parsePart(part: string): RunFilter {
  const [, field = '', value = ''] = /^(pipeline|task|reason|since|status|label|ns):(.+)$/i.exec(part) ?? [];
  const wanted = value.toLowerCase();
  switch (field.toLowerCase()) {
    case 'pipeline':
    case 'task':
      return ({ reference }) => reference.toLowerCase().includes(wanted);
    case 'reason':
      return ({ reason }) => reason.toLowerCase().includes(wanted);
    case 'status':
      return ({ state }) => state.startsWith(wanted);
    case 'ns':
      return ({ namespace }) => namespace.toLowerCase().includes(wanted);
    case 'label':
      return ({ labels }) => value in labels;
    case 'since':
      return sinceFilter(wanted);
  }
  const [, label, not, expected] = /^([\w./-]+?)(!?)=(.*)$/.exec(part) ?? [];
  if (label !== undefined) return ({ labels }) => (labels[label] === expected) === (not === '');
  const word = part.toLowerCase();
  return ({ name, reference }) => name.toLowerCase().includes(word) || reference.toLowerCase().includes(word);
}

function sinceFilter(text: string): RunFilter {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const ms = count === undefined ? undefined : Number(count) * (ageUnits[unit] ?? 0);
  return (run, now) => ms === undefined || now - run.createdAt <= ms;
}

/** The states that people choose from. Runs that wait are about to run. */
export const shownStates: readonly RunState[] = ['running', 'succeeded', 'failed', 'cancelled'];

export function hasState(run: RunSummary, state: RunState): boolean {
  return run.state === state || (state === 'running' && run.state === 'waiting');
}
