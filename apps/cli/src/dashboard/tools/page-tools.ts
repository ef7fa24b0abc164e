import { Client, type Transport } from '@tektite/client';
import type { PageTools, ToolInput } from '@tektite/dashboard';

/** The commands that the page has, too. Each is loaded when it is first used. */
export const pageTools: PageTools = {
  'installed-objects': reading(async () => (await import('./installed-objects.ts')).installedObjects),
  'plan-config': reading(async () => (await import('../../manifest/config-plan.ts')).planConfigText),
  'plan-rollback': reading(async () => (await import('./set-rollback.ts')).planRollback),
  rollback: { ...reading(async () => (await import('./set-rollback.ts')).rollBack), isWriting: true },
  'explain-machine': reading(async () => (await import('./explain-machine.ts')).machineSteps),
  'archived-runs': reading(async () => (await import('./archived.ts')).newestRuns),
  'archived-run': reading(async () => (await import('./archived.ts')).runWithParts),
  'archived-log': reading(async () => (await import('./archived.ts')).logText),
};

type Work<T> = (client: Client, input: ToolInput, signal: AbortSignal) => Promise<T>;

function reading<T>(load: () => Promise<Work<T>>) {
  return {
    isWriting: false,
    // The transport is the session's: the client is not closed.
    run: async (transport: Transport, input: ToolInput, signal: AbortSignal) =>
      (await load())(new Client(transport), input, signal),
  };
}
