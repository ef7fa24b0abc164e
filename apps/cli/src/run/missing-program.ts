/** The exit code of a shell that did not find a program. */
const notFound = 127;

/** `sh: 3: git: not found`, `bash: line 3: git: command not found`. */
const ofShell = /([\w./+@-]+): (?:command )?not found\s*$/;
/** `exec: "git": executable file not found in $PATH`: the step's own command, which ends with code 1. */
const ofEntrypoint = /exec: "([^"]+)": (?:executable file not found|stat \S+ no such file)/;

/** The program that a line of a log says is missing. */
export function missingProgram(line: string): string | undefined {
  return (ofEntrypoint.exec(line) ?? ofShell.exec(line))?.[1];
}

/** The hint for a run whose step has no command, where the registry of its image cannot be asked for one. */
export function registryHint(message: string): string | undefined {
  const [, address] = /translating TaskSpec to Pod: Get "(https?:\/\/[^"/]+)/.exec(message) ?? [];
  if (address === undefined) return undefined;
  return `hint: a step has no command, and ${address}, which knows what its image starts, cannot be reached. Set the command of the step, or map the image with --images FILE and its entrypoint`;
}

/** Explains steps that fail because their image, and the programs in it, are not used. Each image is explained once. */
export class MissingPrograms {
  private readonly explained = new Set<string>();
  private readonly programs = new Map<string, string>();
  /** Steps whose own command was not found. */
  private readonly commands = new Set<string>();

  log(place: string, line: string): void {
    const program = missingProgram(line);
    if (program !== undefined) this.programs.set(place, program);
    if (ofEntrypoint.test(line)) this.commands.add(place);
  }

  /** The hint for a step that ended; nothing if it ended for another reason. */
  ended(place: string, exitCode: number, image: string | undefined): string | undefined {
    if (exitCode !== notFound && !(exitCode !== 0 && this.commands.has(place))) return undefined;
    if (image === undefined || this.explained.has(image)) return undefined;
    this.explained.add(image);
    const program = this.programs.get(place);
    const what = program === undefined ? 'a program' : JSON.stringify(program);
    return `hint: this machine does not have ${what}: the step runs with the programs of this machine, and its image ${image} is not used. Install it, or map the image with --images FILE`;
  }
}
