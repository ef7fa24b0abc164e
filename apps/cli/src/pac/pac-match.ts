import type { KubeObject } from '@tektite/meta';
import {
  boolType,
  celEnvironment,
  declare,
  dynType,
  type FunctionDeclaration,
  jsonValue,
  method,
  stringType,
} from '@tektite/schema';
import type { PacEvent } from './pac-event.ts';

const prefix = 'pipelinesascode.tekton.dev/';

/** An annotation of Pipelines-as-Code. */
export function annotation({ metadata }: KubeObject, name: string): string | undefined {
  return metadata.annotations?.[`${prefix}${name}`];
}

/** Whether an object is meant for Pipelines-as-Code at all. */
export function hasAnnotations({ metadata }: KubeObject): boolean {
  return Object.keys(metadata.annotations ?? {}).some((name) => name.startsWith(prefix));
}

/** `[a, b]`, `a, b` or `a`. */
export function wordsOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .trim()
    .replace(/^\[(.*)\]$/s, '$1')
    .split(',')
    .map((word) => word.trim().replace(/^["'](.*)["']$/, '$1'))
    .filter((word) => word !== '');
}

/** Whether Pipelines-as-Code would start a run for an event. Throws an Error for an expression that cannot be read. */
export function matchesEvent(run: KubeObject, event: PacEvent): boolean {
  const expression = annotation(run, 'on-cel-expression');
  if (expression !== undefined) return evaluate(expression, event);
  const events = wordsOf(annotation(run, 'on-event'));
  const branches = wordsOf(annotation(run, 'on-target-branch'));
  if (events.length === 0 || branches.length === 0) return false;
  const paths = wordsOf(annotation(run, 'on-path-change'));
  const ignored = wordsOf(annotation(run, 'on-path-change-ignore'));
  const { changedFiles } = event.git;
  return (
    events.includes(event.type) &&
    branches.some((branch) => matchesBranch(branch, event.targetBranch)) &&
    (paths.length === 0 || changedFiles.some((file) => paths.some((path) => matchesGlob(path, file)))) &&
    (ignored.length === 0 || changedFiles.some((file) => !ignored.some((path) => matchesGlob(path, file))))
  );
}

function matchesBranch(pattern: string, branch: string): boolean {
  return [branch, `refs/heads/${branch}`].some((name) => matchesGlob(pattern, name));
}

/** `*` and `?` stay in one part of a path, `**` does not; `{a,b}` are alternatives. */
export function matchesGlob(pattern: string, text: string): boolean {
  const source = pattern
    .replaceAll(/[.+^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*\*\/?|\*|\?|\{[^{}]*\}/g, (part) => {
      if (part.startsWith('**')) return '.*';
      if (part === '*') return '[^/]*';
      if (part === '?') return '[^/]';
      return `(?:${part.slice(1, -1).replaceAll(',', '|')})`;
    });
  return new RegExp(`^${source}$`).test(text);
}

function evaluate(expression: string, event: PacEvent): boolean {
  const { git, sourceBranch, targetBranch, type } = event;
  const texts: Readonly<Record<string, string>> = {
    event: type,
    event_type: type,
    event_title: git.title,
    source_branch: sourceBranch,
    target_branch: targetBranch,
    source_url: git.url,
    target_url: git.url,
  };
  const variables = {
    ...Object.fromEntries(Object.keys(texts).map((name) => [name, stringType])),
    body: dynType,
    headers: dynType,
  };
  const pathChanged: FunctionDeclaration = declare(
    'pathChanged',
    method('string_path_changed', [stringType], boolType, (pattern: string) =>
      git.changedFiles.some((file) => matchesGlob(pattern, file)),
    ),
  );
  const { program, error } = celEnvironment({ variables, functions: [pathChanged] }).compile(expression.trim());
  if (!program) throw new Error(error);
  const outcome = program.run((name) => jsonValue(texts[name] ?? {}), 1_000_000);
  if (outcome.error) throw new Error(outcome.error.message);
  return outcome.value === true;
}
