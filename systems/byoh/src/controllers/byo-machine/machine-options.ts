import type { EventText } from '@tektite/controller/events';
import type { KubeObject } from '@tektite/meta';
import type { ByoHost } from '../../kinds/byo-host.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import type { OpenWorkload } from './workload-node.ts';

/** Settings and dependencies of the ByoMachine controller. */
export interface MachineControllerOptions {
  /** The namespace of the records of homes. */
  readonly records: string;
  /** Hosts of other namespaces may be taken too, as upstream does. Default no. */
  readonly crossNamespaceHosts?: boolean;
  /** A machine goes only after its host was cleaned. Default no, as upstream. */
  readonly waitForHostCleanup?: boolean;
  readonly openWorkload?: OpenWorkload;
  /** Why a known installer cannot serve a host: such a host is not claimed. */
  readonly cannotServe?: (machine: ByoMachine, host: ByoHost, k8sVersion: string) => string | undefined;
  /** Records Events of machines and hosts. */
  readonly record?: (about: KubeObject, event: EventText) => void;
}
