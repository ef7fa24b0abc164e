import { type ControllerDefinition, defineController } from '@tektite/controller';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import { act } from './act.ts';
import { decideMachine } from './decide.ts';
import { HostClaims } from './host-claims.ts';
import { InstallerConfigs } from './installer-configs.ts';
import type { MachineControllerOptions } from './machine-options.ts';
import { machineSources } from './machine-sources.ts';
import { type MachineServices, observe } from './observe.ts';

/** Reconciles ByoMachines: observes, has {@link decideMachine} decide, and acts. */
export function machineController(options: MachineControllerOptions): ControllerDefinition {
  const configs = new InstallerConfigs();
  const claims = new HostClaims();
  const sources = machineSources(claims, options.records);
  const services: MachineServices = { options, sources, configs, claims };
  return defineController({
    name: 'byomachine',
    kind: ByoMachine,
    sources: [...Object.values(sources), configs],
    async reconcile(machine, context) {
      const snapshot = await observe(machine, context, services);
      if (typeof snapshot === 'string') return context.log.debug('waits', { why: snapshot });
      const decision = decideMachine(snapshot);
      claims.waits(context.key, decision.host === undefined && decision.next.type === 'again');
      if (decision.claims) claims.take(decision.claims, context.key);
      try {
        return await act(snapshot, decision, context, options);
      } catch (error) {
        claims.drop(context.key);
        throw error;
      }
    },
    gone(key) {
      claims.waits(key, false);
      claims.drop(key);
    },
  });
}
