import {
  describeObject,
  identityText,
  type ObjectReference,
  type ObjectResult,
  type ProgressEvent,
} from '@tektite/manifest';
import { type Clock, systemClock } from '@tektite/meta';
import pc from 'picocolors';
import { LiveArea, type Terminal } from '../live-area.ts';
import type { ManifestView, Outcome } from './manifest-view.ts';
import { outcomeLine, resultLine } from './view-lines.ts';

interface StepState {
  readonly name: string;
  readonly open: Map<string, { readonly reference: ObjectReference; note: string }>;
  readonly total: number;
  readonly failed: ObjectResult[];
}

/** For people at a terminal: what changes scrolls by, and under it stand the steps with what is still open in them. */
export class TreeView implements ManifestView {
  private readonly area: LiveArea;
  private steps: StepState[] = [];
  private unchanged = 0;

  constructor(terminal: Terminal, clock: Clock = systemClock) {
    this.area = new LiveArea(terminal, clock, () => this.lines());
  }

  progress(event: ProgressEvent): void {
    if (event.type === 'step') {
      const open = new Map(event.objects.map((reference) => [identityText(reference), { reference, note: '' }]));
      this.steps.push({ name: event.name, open, total: open.size, failed: [] });
    } else if (event.type === 'object') this.result(event.result);
    else this.waiting(event.reference, '', event.reason);
    this.area.refreshSoon();
  }

  waiting(reference: ObjectReference, status: string, message: string): void {
    const key = identityText(reference);
    const step = this.waitingStep();
    if (status === 'Current') step.open.delete(key);
    else step.open.set(key, { reference, note: message || status });
    this.area.refreshSoon();
  }

  note(text: string): void {
    this.area.above([pc.dim(text)]);
  }

  ended(outcome: Outcome): void {
    this.steps = [];
    this.area.above([outcomeLine(outcome)]);
  }

  [Symbol.dispose](): void {
    this.area[Symbol.dispose]();
  }

  private result(result: ObjectResult): void {
    const step = this.steps.at(-1);
    step?.open.delete(identityText(result.reference));
    if (result.action === 'failed') step?.failed.push(result);
    if (result.action === 'unchanged') this.unchanged++;
    else this.area.above([resultLine(result)]);
  }

  private waitingStep(): StepState {
    const last = this.steps.at(-1);
    if (last?.name === 'readiness') return last;
    const step: StepState = { name: 'readiness', open: new Map(), total: 0, failed: [] };
    this.steps.push(step);
    return step;
  }

  private lines(): readonly string[] {
    const unchanged = this.unchanged > 0 ? [pc.dim(`${this.unchanged} unchanged`)] : [];
    return [...unchanged, ...this.steps.flatMap(stepLines)];
  }
}

function stepLines({ name, open, total, failed }: StepState): readonly string[] {
  const mark = failed.length > 0 ? pc.red('✗') : open.size === 0 ? pc.green('✓') : pc.yellow('▶');
  const count = total === 0 ? '' : pc.dim(` ${total - open.size}/${total}`);
  const objects = [...open.values()].slice(0, 6).map(({ reference, note }) => {
    return `  ${pc.yellow('·')} ${describeObject(reference)}${note ? pc.dim(` ${note}`) : ''}`;
  });
  const more = open.size > 6 ? [pc.dim(`  … ${open.size - 6} more`)] : [];
  return [`${mark} ${name}${count}`, ...objects, ...more];
}
