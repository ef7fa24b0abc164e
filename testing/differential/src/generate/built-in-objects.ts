import type { Operation } from '../operation.ts';
import type { Sequence } from '../run-sequence.ts';
import type { Choice } from './choice.ts';
import type { Definitions } from './json-schema.ts';
import { samples } from './samples.ts';
import { sequenceLabel, targetOf } from './target.ts';
import { Verbs } from './verbs.ts';

/** A sequence on the objects of one built-in kind: created first, then whatever comes, and watched at the end. */
export function builtInObjects(choice: Choice, definitions: Definitions, kinds: readonly string[] = []): Sequence {
  const sample = choice.pick(kinds.length === 0 ? samples : samples.filter(({ kind }) => kinds.includes(kind)));
  const target = targetOf(sample, definitions.ofKind(sample.apiVersion, sample.kind));
  const verbs = new Verbs(choice, definitions);
  const list: Operation = { method: 'GET', path: `${target.collection}?labelSelector=${sequenceLabel}={{ns}}` };
  const operations = [
    list,
    verbs.create(target, 'a'),
    ...Array.from({ length: 4 + choice.below(10) }, () => verbs.any(target)),
    ...(choice.chance(0.3) ? [{ ...verbs.watch(target) }] : []),
  ];
  return { name: sample.kind, operations };
}
