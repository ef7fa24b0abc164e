import type { CachedCustomRun } from '../../../cache/cache-transforms.ts';
import type { ParamValue } from '../../../kinds/param.ts';
import type { PipelineRunResult } from '../../../kinds/pipeline-run-spec.ts';
import type { PipelineResult } from '../../../kinds/pipeline-spec.ts';
import { replaceValue } from '../../../substitution/replace-text.ts';
import { ReplacementSet } from '../../../substitution/replacements.ts';
import type { PipelineFacts } from './facts.ts';
import { looksLikeResult, resultReference, variablesInValue } from '../../../pipeline/result-reference.ts';
import { finishedResults } from './task-results.ts';
import { statusOfTask } from './task-status-variables.ts';

export interface PipelineResults {
  readonly results: readonly PipelineRunResult[];
  /** The names of missing results; once for each error in them. */
  readonly invalid: readonly string[];
}

type Found = 'found' | 'absent' | 'invalid';

/**
 * The results of a Pipeline, from those of its tasks. One of a task that did not succeed may be absent; one of a task that
 * did has to be there.
 */
export function pipelineResults(declared: readonly PipelineResult[], facts: PipelineFacts): PipelineResults {
  const lookup = new ResultLookup(facts);
  const results: PipelineRunResult[] = [];
  const invalid: string[] = [];
  for (const { name, value } of declared) {
    const variables = variablesInValue(value);
    if (variables.length === 0) continue;
    const found = variables.map((variable) => lookup.find(variable));
    invalid.push(...found.filter((each) => each === 'invalid').map(() => name));
    if (found.every((each) => each === 'found'))
      results.push({ name, value: replaceValue(value, lookup.replacements) });
  }
  return { results, invalid };
}

class ResultLookup {
  readonly replacements = new ReplacementSet();
  private readonly facts: PipelineFacts;
  private readonly taskResults: ReturnType<typeof finishedResults>;

  constructor(facts: PipelineFacts) {
    this.facts = facts;
    this.taskResults = finishedResults(facts.states);
  }

  find(variable: string): Found {
    const reference = looksLikeResult(variable) ? resultReference(variable) : undefined;
    if (!reference) return 'invalid';
    const { task, result, key } = reference;
    const value = this.taskResults.get(task)?.get(result);
    if (value !== undefined) return this.add(variable, value, reference.index, key);
    const text = key === undefined ? this.customResult(task, result) : undefined;
    if (text !== undefined) return this.addText(variable, text);
    const state = this.facts.byName.get(task);
    return state && statusOfTask(state) !== 'Succeeded' ? 'absent' : 'invalid';
  }

  /** Custom tasks of a matrix have no distinguishable results. */
  private customResult(task: string, result: string): string | undefined {
    const state = this.facts.byName.get(task);
    if (state?.kind !== 'CustomRun' || state.runs.length !== 1) return undefined;
    if (!state.isSuccessful() && !state.isFailure()) return undefined;
    return (state.runs[0] as CachedCustomRun).status?.results?.find(({ name }) => name === result)?.value;
  }

  private add(variable: string, value: ParamValue, index: number | undefined, key: string | undefined): Found {
    const bare = variable.endsWith('[*]') ? variable.slice(0, -3) : variable;
    if (key !== undefined) {
      const object =
        typeof value === 'object' && !Array.isArray(value) ? (value as Readonly<Record<string, string>>) : {};
      return Object.hasOwn(object, key) ? this.addText(variable, object[key] ?? '') : 'invalid';
    }
    if (typeof value === 'string') return this.addText(variable, value);
    if (!Array.isArray(value)) {
      this.replacements.objects.set(bare, value as Readonly<Record<string, string>>);
      return 'found';
    }
    if (bare !== variable) {
      this.replacements.arrays.set(bare, value as readonly string[]);
      return 'found';
    }
    // Without an index it is the first: that is what no number is, read as one.
    const item = (value as readonly string[])[index ?? 0];
    return item === undefined ? 'invalid' : this.addText(variable, item);
  }

  private addText(variable: string, text: string): Found {
    this.replacements.strings.set(variable, text);
    return 'found';
  }
}
