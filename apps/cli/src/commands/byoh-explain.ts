import { explainMachine, observeMachine } from '@tektite/byoh';
import pc from 'picocolors';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { UserError } from '../user-error.ts';
import { terminalText } from '../terminal-text.ts';

export interface ByohExplainOptions extends ClusterChoice {
  readonly namespace: string;
  readonly output: string;
}

const signs = { done: pc.green('✓'), waiting: pc.yellow('…'), failed: pc.red('✗'), ahead: pc.dim('·') };

/** `tektite byoh explain MACHINE`: how far a machine is, and what it waits for. */
export async function byohExplain(name: string, options: ByohExplainOptions): Promise<void> {
  if (options.output !== 'text' && options.output !== 'json')
    throw new UserError(`-o must be text or json, not ${JSON.stringify(options.output)}`);
  await withCluster(options, async (client) => {
    const steps = explainMachine(await observeMachine(client, options.namespace, name));
    if (options.output === 'json') {
      process.stdout.write(`${JSON.stringify(steps, undefined, 2)}\n`);
      return;
    }
    for (const { state, what, why } of steps)
      process.stdout.write(
        `${signs[state]} ${terminalText(what)}${why === '' ? '' : pc.dim(`: ${terminalText(why)}`)}\n`,
      );
  });
}
