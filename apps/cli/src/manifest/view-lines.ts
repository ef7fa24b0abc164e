import { describeObject, type ObjectResult } from '@tektite/manifest';
import pc from 'picocolors';
import { durationText } from '@tektite/dashboard/run';
import type { Outcome } from './manifest-view.ts';

type Paint = (text: string) => string;

const paints: Readonly<Record<string, Paint>> = {
  created: pc.green,
  configured: pc.yellow,
  recreated: pc.magenta,
  pruned: pc.red,
  deleted: pc.red,
  failed: pc.red,
  stuck: pc.red,
  kept: pc.dim,
  absent: pc.dim,
  unchanged: pc.dim,
  skipped: pc.dim,
};

export function paintAction(action: string): string {
  return (paints[action] ?? ((text: string) => text))(action);
}

/** `deployment.apps web created`, and why. */
export function resultLine({
  reference,
  action,
  reason,
  error,
}: Pick<ObjectResult, 'reference' | 'action' | 'reason' | 'error'>): string {
  const why = error ? `\n  ${pc.red(error.message)}` : reason ? pc.dim(` (${reason})`) : '';
  return `${describeObject(reference)} ${paintAction(action)}${why}`;
}

/** `3 created, 72 unchanged in 1.2 s`. */
export function outcomeLine({ counts, tookMs, ok, set }: Outcome): string {
  const parts = [...counts].map(([action, count]) => `${count} ${paintAction(action)}`);
  const what = parts.length > 0 ? parts.join(', ') : 'nothing to do';
  const where = set ? pc.dim(` · set ${set.name}${set.revision ? `, revision ${set.revision}` : ''}`) : '';
  return `${ok ? pc.green('✓') : pc.red('✗')} ${what}${pc.dim(` in ${durationText(tookMs)}`)}${where}`;
}
