import { explainMachine, observeMachine } from '@tektite/byoh';
import type { Client } from '@tektite/client';
import type { ToolAnswers, ToolInput } from '@tektite/dashboard';

/** The steps of `tektite byoh explain`. */
export async function machineSteps(
  client: Client,
  { namespace = '', name = '' }: ToolInput,
): Promise<ToolAnswers['explain-machine']> {
  return { steps: explainMachine(await observeMachine(client, namespace, name)) };
}
