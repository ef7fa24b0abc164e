import { UserError } from '../../user-error.ts';
import { JsonView } from './json-view.ts';
import { LiveView } from './live-view.ts';
import type { RunView } from './run-view.ts';
import { TextView } from './text-view.ts';

/** The view that the user asked for: of text, a tree that moves where there is a terminal. */
export function openView(output: string): RunView {
  const write = (text: string) => void process.stdout.write(text);
  if (output === 'json') return new JsonView(write);
  if (output !== 'text') throw new UserError(`-o must be text or json, not ${JSON.stringify(output)}`, 2);
  return process.stdout.isTTY ? new LiveView(process.stdout) : new TextView(write);
}
