import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addByohCommands } from './byoh-commands.ts';
import { addClusterCommands } from './cluster-commands.ts';
import { addConnectorCommands } from './connector-commands.ts';
import { addImageCommands } from './image-commands.ts';
import { addMachineCommands } from './machine-commands.ts';
import { addManifestCommands } from './manifest-commands.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addRunCommands } from './run-commands.ts';

const tektite = new Command('tektite');
for (const add of [
  addClusterCommands,
  addImageCommands,
  addMachineCommands,
  addRunCommands,
  addManifestCommands,
  addOperatorCommands,
  addConnectorCommands,
  addByohCommands,
])
  add(tektite);

/** Commands that do something, with their full names. */
function leaves(command: Command, path: readonly string[]): readonly (readonly [name: string, command: Command])[] {
  const visible = command.createHelp().visibleCommands(command);
  const below = visible
    .filter((each) => each.name() !== 'help')
    .flatMap((each) => leaves(each, [...path, each.name()]));
  return below.length > 0 ? below : [[path.join(' '), command]];
}

/** The help as it is printed. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (more) => void (text += more) }).outputHelp();
  return text;
}

/** Words of our own where Kubernetes has one. */
const strangeWords = /\b(somebody|nobody|whoever|gone|anew|told|violation|wish|looked at|what sources say)\b/;

describe('the help', () => {
  it.each(leaves(tektite, []))('of %s teaches by examples, in the words of Kubernetes', (name, command) => {
    const text = helpOf(command);
    expect(command.description()).toMatch(/^[a-z]/);
    expect(text).toMatch(new RegExp(`Examples:\\n(?:.*\\n)*? +\\$ .*tektite ${name}`));
    expect(text).not.toMatch(strangeWords);
  });

  it.each(leaves(tektite, []))('of %s has --context wherever it has --kubeconfig', (_, command) => {
    const names = command
      .createHelp()
      .visibleOptions(command)
      .map(({ long }) => long);
    expect(names.includes('--context')).toBe(names.includes('--kubeconfig'));
  });
});
