import { UserError } from '../user-error.ts';
import { JsonLinesView } from './json-lines-view.ts';
import type { ManifestView } from './manifest-view.ts';
import { PlainView } from './plain-view.ts';
import { TreeView } from './tree-view.ts';

/** The view that the user asked for: of text, a tree that moves where there is a terminal. */
export function openManifestView(output: string): ManifestView {
  const write = (text: string) => void process.stdout.write(text);
  if (output === 'json') return new JsonLinesView(write);
  if (output !== 'text') throw new UserError(`-o must be text or json, not ${JSON.stringify(output)}`, 2);
  return process.stdout.isTTY ? new TreeView(process.stdout) : new PlainView(write);
}
