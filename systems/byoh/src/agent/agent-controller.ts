import { type ControllerDefinition, defineController, terminallyFailed } from '@tektite/controller';
import { ByoHost } from '../kinds/byo-host.ts';
import { decideAgent } from './decide-agent.ts';
import { HostRecord } from './host-record.ts';
import { HostWork, type WorkOptions } from './host-work.ts';

export interface AgentControllerOptions extends WorkOptions {
  readonly namespace: string;
  readonly name: string;
}

/** The controller that an agent is: one object, its own. */
export function agentController(options: AgentControllerOptions): ControllerDefinition {
  const { namespace, name, state, skipInstallation, timeoutMs } = options;
  return defineController({
    name: 'byohost',
    kind: ByoHost,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    concurrency: 1,
    // Several scripts may run in one go.
    timeoutMs: timeoutMs * 4,
    backoff: { firstMs: 1000, maxMs: 300_000 },
    async reconcile(host, { client, event, log, signal }) {
      const step = decideAgent(host, await state.read(), skipInstallation);
      const record = new HostRecord(client, host);
      switch (step.type) {
        case 'nothing':
          log.debug('nothing to do', { why: step.why });
          return undefined;
        case 'mark':
          await record.mark(step.condition);
          return undefined;
        case 'cleanup':
          await new HostWork({ ...options, client }, record, event, signal).cleanUp();
          return undefined;
        case 'work':
          await new HostWork({ ...options, client }, record, event, signal).provision(step.installs);
          return undefined;
        default:
          return terminallyFailed(new Error('this cannot be'));
      }
    },
  });
}
