import type { ReconcileContext } from '@tektite/controller';
import { isStatusError } from '@tektite/meta';
import type { ConnectorStatus } from '../../kinds/connector.ts';
import { statusEvents } from './decide-status.ts';
import type { ManifestAction } from './decide.ts';
import type { ObservedConnector } from './observe.ts';
import { writeManifest } from './write-manifests.ts';

/** Performs actions in order. Returns the first that the API denied, and its error. Conflicts are thrown: the next reconcile sees why. */
export async function performActions(
  actions: readonly ManifestAction[],
  { client, signal }: ReconcileContext,
): Promise<{ readonly action: ManifestAction; readonly error: Error } | undefined> {
  for (const action of actions) {
    try {
      await writeManifest(client, action, signal);
    } catch (error) {
      if (!isStatusError(error) || isStatusError(error, 'Conflict') || isStatusError(error, 'AlreadyExists'))
        throw error;
      return { action, error };
    }
  }
  return undefined;
}

/** Writes the status and reports changes of `Ready` as Events. */
export async function writeStatus(
  { connector }: ObservedConnector,
  status: ConnectorStatus,
  context: ReconcileContext,
): Promise<void> {
  if (!(await context.writeStatus(connector, status))) return;
  for (const event of statusEvents(connector.status ?? {}, status)) context.event(event);
}
