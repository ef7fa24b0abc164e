/** The exit code of a shell that did not find a program. */
const notFound = 127;

/** `sh: 3: git: not found`, `bash: line 3: git: command not found`. */
const ofShell = /([\w./+@-]+): (?:command )?not found\s*$/;
/** `/usr/bin/env: 'python3': No such file or directory`. */
const ofEnv = /\benv: ['‘]?([\w./+@-]+)['’]?: No such file or directory\s*$/;
/**
 * `exec: "git": executable file not found in $PATH`, `fork/exec /kaniko/executor: no such file or directory`: the step's own
 * command, which ends with code 1.
 */
const ofEntrypoint = [
  /exec: "([^"]+)": (?:executable file not found|stat \S+ no such file)/,
  /Error executing command: fork\/exec (\S+): no such file or directory\s*$/,
];
/** A script that is there and cannot be started names an interpreter that is not. */
const scripts = '/tekton/scripts/';

/** The program that a line of a log says is missing. */
export function missingProgram(line: string): string | undefined {
  return missingCommand(line) ?? (ofShell.exec(line) ?? ofEnv.exec(line))?.[1];
}

function missingCommand(line: string): string | undefined {
  for (const form of ofEntrypoint) {
    const program = form.exec(line)?.[1];
    if (program !== undefined) return program;
  }
  return undefined;
}

/** The hint for a run whose step has no command, where the registry of its image cannot be asked for one. */
export function registryHint(message: string): string | undefined {
  const [, address] = /translating TaskSpec to Pod: Get "(https?:\/\/[^"/]+)/.exec(message) ?? [];
  if (address === undefined) return undefined;
  return `hint: a step has no command, and ${address}, which knows what its image starts, cannot be reached. Set the command of the step, or map the image with --images FILE and its entrypoint`;
}

/** The message of a run without Tekton's guess at the Task, where the registry is the reason. */
export function withoutGuess(message: string): string {
  if (registryHint(message) === undefined) return message;
  return message.replace(/\.? Maybe (?:missing or )?invalid Task(?:Spec| \S+)$/, '');
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
    if (missingCommand(line) !== undefined) this.commands.add(place);
  }

  /** The hint for a step that ended; nothing if it ended for another reason. */
  ended(place: string, exitCode: number, image: string | undefined): string | undefined {
    if (exitCode !== notFound && !(exitCode !== 0 && this.commands.has(place))) return undefined;
    if (image === undefined || this.explained.has(image)) return undefined;
    this.explained.add(image);
    const program = this.programs.get(place);
    return `hint: this machine does not have ${describe(program)}: the step runs with the programs of this machine, and its image ${image} is not used. --runtime images runs the image itself; or install the program, or map the image with --images FILE`;
  }
}

function describe(program: string | undefined): string {
  if (program === undefined) return 'a program';
  return program.startsWith(scripts) ? 'the interpreter of the script' : JSON.stringify(program);
}
