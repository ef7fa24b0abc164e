import { type ControllerDefinition, defineController, requeueAfter } from '@tektite/controller';
import { ByoHost } from '../kinds/byo-host.ts';
import { type AgentStep, decideAgent } from './decide-agent.ts';
import { HostRecord } from './host-record.ts';
import { HostWork, type WorkOptions } from './host-work.ts';
import { RetryDelay } from './retry-delay.ts';

export interface AgentControllerOptions extends WorkOptions {
  readonly namespace: string;
  readonly name: string;
}

/** The controller that an agent is: one object, its own. */
export function agentController(options: AgentControllerOptions): ControllerDefinition {
  const { namespace, name, state, skipInstallation, timeoutMs } = options;
  const delay = new RetryDelay();
  return defineController({
    name: 'byohost',
    kind: ByoHost,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    concurrency: 1,
    // Several scripts may run in one go.
    timeoutMs: timeoutMs * 4,
    backoff: { firstMs: 1000, maxMs: 300_000 },
    async reconcile(host, { client, clock, event, log, signal }) {
      const step = decideAgent(host, await state.read(), skipInstallation);
      const record = new HostRecord(client, host);
      if (step.type === 'nothing') return log.debug('nothing to do', { why: step.why });
      if (step.type === 'mark') {
        // The work is no longer wanted as it was: what comes next is tried at once.
        delay.completed();
        return record.mark(step.condition);
      }
      const key = workKey(step, host);
      const remainingMs = delay.remainingMs(key, clock.now());
      if (remainingMs > 0) return requeueAfter(remainingMs);
      const work = new HostWork({ ...options, client }, record, event, signal);
      try {
        await (step.type === 'cleanup' ? work.cleanUp() : work.provision(step.installs));
        delay.completed();
      } catch (error) {
        delay.failed(key, clock.now());
        throw error;
      }
    },
  });
}

/** The work that a step does: the step, for which machine, with which scripts. */
function workKey({ type }: AgentStep, { spec, status }: ByoHost): string {
  const secrets = [spec?.installationSecret, spec?.bootstrapSecret].map((secret) => secret?.name);
  return JSON.stringify([type, status?.machineRef?.uid, ...secrets]);
}
