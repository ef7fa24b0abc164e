import { seededRandom } from '@tektite/meta';
import { Choice } from './generate/choice.ts';
import type { Definitions } from './generate/json-schema.ts';
import type { Topic } from './generate/topics.ts';
import { isExplained } from './explained.ts';
import { type Bench, type OperationDifference, runSequence, type Sequence } from './run-sequence.ts';
import { shrink } from './shrink.ts';

/** A difference with the fewest operations that show it. */
export interface Finding {
  readonly seed: number;
  readonly sequence: Sequence;
  readonly difference: OperationDifference;
}

export interface JudgeOptions {
  readonly bench: Bench;
  readonly definitions: Definitions;
  readonly topics: readonly Topic[];
  readonly firstSeed: number;
  readonly sequences: number;
  /** Sequences at a time. */
  readonly jobs: number;
  readonly maxFindings: number;
  readonly onFinding: (finding: Finding) => void;
}

/** How much was compared. */
export interface JudgeSummary {
  readonly operations: number;
  readonly differing: number;
  readonly findings: readonly Finding[];
}

/**
 * Runs sequences, one for each seed, and shrinks those that differ.
 *
 * Guarantees: a finding was seen three times, and the reference does not differ from itself in the same place. One
 * finding is kept for each signature (what differs where), so that one cause is not reported a hundred times.
 */
export async function judge(options: JudgeOptions): Promise<JudgeSummary> {
  const { bench, definitions, topics, firstSeed, sequences, jobs, maxFindings, onFinding } = options;
  const findings: Finding[] = [];
  const signatures = new Set<string>();
  let operations = 0;
  let differing = 0;
  let next = firstSeed;
  const last = firstSeed + sequences;
  async function work(): Promise<void> {
    while (next < last && findings.length < maxFindings) {
      const seed = next++;
      const choice = new Choice(seededRandom(seed));
      const sequence = choice.pick(topics)(choice, definitions);
      const differences = await unexplained(sequence, bench);
      operations += sequence.operations.length;
      differing += differences.length;
      for (const difference of differences) {
        const signature = signatureOf(difference);
        if (signatures.has(signature)) continue;
        signatures.add(signature);
        const finding = await confirm(seed, sequence, signature, bench);
        if (finding === undefined) continue;
        findings.push(finding);
        onFinding(finding);
        // Differences that follow in the sequence are mostly a consequence.
        break;
      }
    }
  }
  await Promise.all(Array.from({ length: jobs }, work));
  return { operations, differing, findings };
}

async function unexplained(sequence: Sequence, bench: Bench): Promise<readonly OperationDifference[]> {
  return (await runSequence(sequence, bench)).filter((difference) => !isExplained(difference));
}

async function confirm(
  seed: number,
  sequence: Sequence,
  signature: string,
  bench: Bench,
): Promise<Finding | undefined> {
  const find = async (candidate: Sequence) =>
    (await unexplained(candidate, bench)).find((difference) => signatureOf(difference) === signature);
  if ((await find(sequence)) === undefined) return undefined;
  const itself = await runSequence(sequence, {
    ...bench,
    subject: bench.reference,
    reference: bench.reference,
    apart: true,
  });
  if (itself.some((difference) => signatureOf(difference).split(' ', 2).join() === signature.split(' ', 2).join()))
    return undefined;
  const small = await shrink(sequence, async (candidate) => (await find(candidate)) !== undefined);
  const difference = await find(small);
  return difference === undefined ? undefined : { seed, sequence: small, difference };
}

/** The difference without names and values that chance chose: one cause has one signature, or a few. */
export function signatureOf({ operation, reference, subject, differences }: OperationDifference): string {
  const [first] = differences;
  const kind = operation.path
    .split('?')[0]
    ?.split('/')
    .filter((part) => /^[a-z]+$/.test(part))
    .at(-1);
  const at = first?.at.replaceAll(/\/\d+/g, '/#') ?? '';
  const words = (value: unknown) =>
    String(JSON.stringify(value))
      .replaceAll(/"[^"]*"|'[^']*'|[0-9]+/g, '_')
      .slice(0, 120);
  return `${operation.method}:${kind} ${at} ${reference.code}:${subject.code} ${words(first?.reference)} ${words(first?.subject)}`;
}
