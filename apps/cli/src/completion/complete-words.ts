import type { Argument, Command, Option } from 'commander';

/** A word that could come next. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** The words that could come next; or `'run'` when that is the name of a run, `'file'` when it is a file. */
export type Completion = readonly Candidate[] | 'run' | 'file';

/**
 * Completes the last of the words, which may be empty. Knows commands, options and their choices from the command line itself, so
 * that no list has to be kept.
 */
export function completeWords(program: Command, words: readonly string[]): Completion {
  const current = words.at(-1) ?? '';
  let command = program;
  let positional = 0;
  let waiting: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (waiting) {
      waiting = undefined;
    } else if (word.startsWith('-')) {
      const option = optionsOf(command).find(({ long, short }) => word === long || word === short);
      waiting = option && (option.required || option.optional) ? option : undefined;
    } else {
      const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      if (next) [command, positional] = [next, 0];
      else positional++;
    }
  }
  if (waiting) return valuesOf(waiting, current);
  if (current.startsWith('-')) return startingWith(current, optionsOf(command).map(optionCandidate));
  const subcommands = command.commands
    .filter((each) => !isHidden(each))
    .map((each) => ({ value: each.name(), description: each.summary() || each.description() }));
  const found = positional === 0 ? startingWith(current, subcommands) : [];
  const argument = argumentAt(command, positional);
  return found.length > 0 || !argument ? found : argumentValues(argument, current);
}

const isHidden = (command: Command) => (command as { readonly _hidden?: boolean })._hidden === true;

function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function optionCandidate({ long, short, description }: Option): Candidate {
  return { value: long ?? short ?? '', description };
}

function startingWith(text: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(text));
}

function choices(list: readonly string[] | undefined, current: string): readonly Candidate[] | undefined {
  return (
    list &&
    startingWith(
      current,
      list.map((value) => ({ value, description: '' })),
    )
  );
}

function valuesOf(option: Option, current: string): Completion {
  return choices(option.argChoices, current) ?? (/<(file|dir|folder|source)/.test(option.flags) ? 'file' : []);
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

function argumentValues(argument: Argument, current: string): Completion {
  const listed = choices(argument.argChoices, current);
  if (listed) return listed;
  return argument.name() === 'run' ? 'run' : 'file';
}
