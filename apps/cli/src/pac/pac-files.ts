import { stringifyJson } from '@tektite/meta';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ReadText, readTexts } from '@tektite/manifest';
import type { KubeObject } from '@tektite/meta';
import { badInput } from '../input/bad-input.ts';
import { parseDocuments, type SourceDocument } from '../input/read-documents.ts';
import { isRun } from '../input/run-kinds.ts';
import { type GitFacts, readGitFacts } from './git-facts.ts';
import { authSecret, eventOf, fillVariables, type PacEvent, variablesOf } from './pac-event.ts';
import { annotation, hasAnnotations, matchesEvent, wordsOf } from './pac-match.ts';

export interface PacOptions {
  /** `push` or `pull_request`. Default: a push on the default branch, a pull request on others. */
  readonly event?: string;
  readonly namespace: string;
  note(text: string): void;
}

const events = ['push', 'pull_request'] as const;

/** Files of Pipelines-as-Code, which have variables, and annotations for events. */
export class PacFiles {
  private readonly options: PacOptions;
  private readonly named: PacEvent['type'] | undefined;
  private facts: Promise<GitFacts | undefined> | undefined;
  private event: PacEvent | undefined;
  /** Variables without a value, by file. */
  private readonly unknown = new Map<string, readonly string[]>();

  constructor(options: PacOptions) {
    this.options = options;
    this.named = events.find((each) => each === options.event);
    if (options.event !== undefined && !this.named)
      throw badInput(`--event must be push or pull_request, not ${JSON.stringify(options.event)}`);
  }

  /** Fills the variables of a text in, by the repository that it is in. */
  async fill({ name, text }: ReadText): Promise<string> {
    const event = await this.readEvent(name);
    const filled = fillVariables(text, variablesOf(event, this.options.namespace));
    if (filled.unknown.length > 0) this.unknown.set(name, filled.unknown);
    return filled.text;
  }

  /** Names the variables without a value, in files of which something is used: in a run for another event they change nothing. */
  private noteUnknown(used: readonly SourceDocument[]): void {
    for (const [file, names] of this.unknown) {
      const texts = used.filter(({ place }) => place.startsWith(`${file}:`)).map(({ object }) => stringifyJson(object));
      const left = names.filter((each) => texts.some((text) => text.includes(each)));
      if (left.length > 0)
        this.options.note(`${file}: no value here for ${left.map((each) => `{{ ${each} }}`).join(', ')}`);
    }
  }

  /** The documents of which the runs are those for the event, with the Tasks and Pipelines that their annotations name. */
  async complete(documents: readonly SourceDocument[], name: string | undefined): Promise<readonly SourceDocument[]> {
    const { event } = this;
    if (!event) return documents;
    const runs = documents.filter(({ object }) => isRun(object));
    const chosen =
      name === undefined
        ? this.choose(
            runs.filter(({ object }) => hasAnnotations(object)),
            event,
          )
        : runs;
    const kept = documents.filter((each) => !isRun(each.object) || chosen.includes(each));
    this.noteUnknown(kept);
    const all = [...kept];
    for (const run of chosen)
      for (const document of await referencesOf(run, all, event.git.root))
        if (!all.some(({ object }) => isSame(object, document.object))) all.push(document);
    const usesSecret = all.some(({ object }) => stringifyJson(object).includes(`"${authSecret}"`));
    return usesSecret ? [...all, emptySecret()] : all;
  }

  private choose(candidates: readonly SourceDocument[], event: PacEvent): readonly SourceDocument[] {
    const matching = candidates.filter((run) => matches(run, event));
    const words = `a ${event.type} from ${event.sourceBranch} to ${event.targetBranch}`;
    const { revision, hasUncommitted } = event.git;
    const at = `${revision.slice(0, 12)}${hasUncommitted ? ', without the changes that are not committed' : ''}`;
    if (matching.length > 0 || candidates.length < 2) {
      const other = matching.length === 0 && candidates.length > 0 ? ', which the run is not for' : '';
      this.options.note(`event: ${words} at ${at}${other}`);
      return matching.length > 0 ? matching : candidates;
    }
    const known = candidates.map(({ object }) => object.metadata.name ?? object.metadata.generateName).join(', ');
    throw badInput(`no run is for ${words}: there are ${known}; choose one with --name, or another event with --event`);
  }

  private async readEvent(file: string): Promise<PacEvent> {
    const folder = existsSync(file) ? dirname(resolve(file)) : process.cwd();
    this.facts ??= readGitFacts(folder);
    const git = await this.facts;
    if (!git)
      throw badInput(
        `${file}: its variables and annotations need a git repository with a commit, and ${folder} is in none`,
      );
    return (this.event ??= eventOf(git, this.named));
  }
}

function matches(run: SourceDocument, event: PacEvent): boolean {
  try {
    return matchesEvent(run.object, event);
  } catch (error) {
    const place = run.at(['metadata', 'annotations', 'pipelinesascode.tekton.dev/on-cel-expression']);
    throw badInput(`${place}: on-cel-expression: ${(error as Error).message.replaceAll(/\s*\n\s*/g, ' ')}`);
  }
}

/** The Tasks and Pipelines that annotations name: by URL, by path in the repository, or by a name that another file has. */
async function referencesOf(
  run: SourceDocument,
  documents: readonly SourceDocument[],
  root: string,
): Promise<readonly SourceDocument[]> {
  const found: SourceDocument[] = [];
  const names = Object.keys(run.object.metadata.annotations ?? {})
    .map((key) => /\/((?:task|pipeline)(?:-\d+)?)$/.exec(key)?.[1])
    .filter((key) => key !== undefined);
  for (const key of names)
    for (const word of wordsOf(annotation(run.object, key))) {
      const path = /^https?:\/\//.test(word)
        ? word
        : [join(root, word), resolve(word)].find((each) => existsSync(each));
      const kind = key.startsWith('task') ? 'Task' : 'Pipeline';
      if (path !== undefined) for await (const text of readTexts(path)) found.push(...parseDocuments(text));
      else if (
        !documents.some(({ object }) => object.kind === kind && object.metadata.name === word.replace(/:.*$/, ''))
      )
        throw badInput(
          `${run.at(['metadata', 'annotations', `pipelinesascode.tekton.dev/${key}`])}: the ${kind} ${JSON.stringify(word)} is no file, and hubs are not read; add its file with -f`,
        );
    }
  return found;
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.kind === b.kind && a.metadata.name === b.metadata.name && a.apiVersion === b.apiVersion;
}

function emptySecret(): SourceDocument {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: authSecret } };
  return { object, place: authSecret, at: () => authSecret };
}
