import type { KubeObject } from '@tektite/meta';

/** A step of a file, with the image it names and the programs it would start. */
export interface WantedStep {
  /** `build/compile`: the task and the step. */
  readonly name: string;
  readonly image: string;
  readonly programs: readonly string[];
}

interface Step {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly script?: string;
}

interface TaskSpec {
  readonly steps?: readonly Step[];
  readonly sidecars?: readonly Step[];
}

/** The steps of the Tasks, and of the tasks inside of Pipelines and runs, of a file. */
export function wantedSteps(objects: readonly KubeObject[]): readonly WantedStep[] {
  return objects.flatMap((object) => {
    const { spec = {} } = object as { readonly spec?: unknown };
    return specsOf(object.metadata.name ?? object.metadata.generateName ?? object.kind, spec).flatMap(([task, each]) =>
      [...(each.steps ?? []), ...(each.sidecars ?? [])].map((step, index) => ({
        name: `${task}/${step.name || `unnamed-${index}`}`,
        image: step.image ?? '',
        programs: programsOf(step),
      })),
    );
  });
}

/** Specs with steps, wherever they are: a Task's own, or a taskSpec inside of a Pipeline or run. */
function specsOf(name: string, value: unknown): readonly (readonly [task: string, spec: TaskSpec])[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => specsOf((each as { name?: string })?.name ?? name, each));
  if (Array.isArray((value as TaskSpec).steps)) return [[name, value as TaskSpec]];
  return Object.values(value).flatMap((each) => specsOf(name, each));
}

/** The programs that a step starts, as far as its text says. Names that a variable gives are not known. */
export function programsOf({ command = [], script }: Step): readonly string[] {
  const found = new Set<string>();
  const [first] = command;
  if (first !== undefined && isName(first)) found.add(first);
  for (const program of script === undefined ? [] : scriptPrograms(script)) found.add(program);
  return [...found];
}

function scriptPrograms(script: string): readonly string[] {
  const [, interpreter] = /^#!\s*(?:\/usr\/bin\/env\s+(?:-S\s+)?)?(\S+)/.exec(script) ?? [];
  const name = interpreter?.split('/').at(-1) ?? 'sh';
  if (!/^(ba|da|a|z|k)?sh$/.test(name)) return interpreter !== undefined && isName(interpreter) ? [name] : [];
  return [...(interpreter === undefined ? [] : [name]), ...shellPrograms(script)];
}

/** The built-in commands of a shell. */
const builtIn = new Set(
  (
    '! . : [ [[ alias bg break builtin case cd command continue declare do done echo elif else enable esac eval exec exit export ' +
    'false fc fg fi for function getopts hash help if in jobs kill let local mapfile popd printf pushd pwd read readonly ' +
    'return select set shift shopt source test then time times trap true type typeset ulimit umask unalias unset until wait while { }'
  ).split(' '),
);

/** After these comes another command. */
const leading = new Set(['!', '{', 'if', 'then', 'else', 'elif', 'while', 'until', 'do', 'time', 'exec', 'command']);

/** The first words of the simple commands of a script. Here-documents, comments, quotes and functions are passed by. */
function shellPrograms(script: string): readonly string[] {
  const text = script
    .replaceAll(/<<-?\s*(["']?)(\w+)\1[^\n]*\n[\s\S]*?\n\s*\2(?=\s*$)/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '_')
    .replaceAll(/(^|\s)#.*$/gm, '')
    .replaceAll(/^\s*[^()\n]*\)\s/gm, (line) => (/^\s*[\w*|.-]+\)/.test(line) ? '' : line));
  const functions = new Set([...text.matchAll(/^\s*(?:function\s+)?(\w+)\s*\(\)/gm)].map(([, name]) => name));
  const programs = new Set<string>();
  for (const part of text.split(/\n|;|&&|\|\|?|\$\(|`/)) {
    const words = part.trim().split(/\s+/);
    let at = 0;
    while (leading.has(words[at] ?? '') || /^\w+=/.test(words[at] ?? '')) at++;
    const word = words[at] ?? '';
    if (isName(word) && !builtIn.has(word) && !functions.has(word)) programs.add(word);
  }
  return [...programs];
}

const isName = (word: string) => /^(?:\/[\w./+-]+|[a-zA-Z][\w.+-]*)$/.test(word);

/** Images that are known by the program that people use them for. */
const imagePrograms: Readonly<Record<string, string>> = {
  bash: 'bash',
  docker: 'docker',
  git: 'git',
  'git-init': 'git',
  go: 'go',
  golang: 'go',
  gradle: 'gradle',
  helm: 'helm',
  jq: 'jq',
  kubectl: 'kubectl',
  maven: 'mvn',
  node: 'node',
  openjdk: 'java',
  'eclipse-temurin': 'java',
  perl: 'perl',
  php: 'php',
  python: 'python3',
  ruby: 'ruby',
  rust: 'cargo',
  skopeo: 'skopeo',
  terraform: 'terraform',
};

/** The program that an image stands for and the version its tag asks for: `golang:1.22-alpine` is go 1.22. */
export function imageProgram(image: string): { readonly program: string; readonly version?: string } | undefined {
  const [, name = '', tag = ''] = /^(?:.*\/)?([^/:@]+)(?::([^@]+))?(?:@.*)?$/.exec(image) ?? [];
  const program = Object.hasOwn(imagePrograms, name) ? imagePrograms[name] : undefined;
  if (program === undefined) return undefined;
  const [, version] = /^v?(\d+(?:\.\d+)*)/.exec(tag) ?? [];
  return version === undefined ? { program } : { program, version };
}

/** Whether a version has all the numbers that are asked for: 1.22.3 is 1.22, and 1.19 is not. */
export function isVersion(has: string, wanted: string): boolean {
  const [given, asked] = [has.split('.'), wanted.split('.')];
  return asked.every((part, index) => given[index] === undefined || Number(given[index]) === Number(part));
}
