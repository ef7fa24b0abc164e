import type { Command } from 'commander';
import { withCluster } from '../cluster/open-cluster.ts';
import { type Candidate, completeWords } from '../completion/complete-words.ts';
import { completionScript, type Shell } from '../completion/completion-script.ts';
import { defaultDataDir } from '../option-values.ts';
import { listRuns } from '../run/choose-run.ts';

/** `tektite completion SHELL`: prints the script that a shell loads. */
export function completion(shell: Shell): void {
  process.stdout.write(completionScript(shell));
}

/** `tektite __complete -- WORD...`: prints the words that could come next, for those scripts. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const found = completeWords(program, words);
  if (found === 'file') return;
  const candidates = found === 'run' ? await runNames(words) : found;
  for (const { value, description } of candidates) process.stdout.write(`${value}\t${description}\n`);
}

/** The runs of the server that a command without options would ask. A server that cannot be asked has none. */
async function runNames(words: readonly string[]): Promise<readonly Candidate[]> {
  const at = words.findIndex((word) => word === '-n' || word === '--namespace');
  const namespace = (at >= 0 ? words[at + 1] : undefined) ?? 'default';
  const current = words.at(-1) ?? '';
  try {
    const runs = await withCluster({ dataDir: defaultDataDir() }, (client) => listRuns(client, { namespace }));
    return runs
      .map(({ kind, metadata }) => ({ value: metadata.name ?? '', description: kind }))
      .filter(({ value }) => value.startsWith(current));
  } catch {
    return [];
  }
}
