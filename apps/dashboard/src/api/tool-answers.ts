import type { KubeObject } from '@tektite/meta';

/** The health of an object, in the words of kstatus. */
export type ObjectHealth = 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'NotFound' | 'Unknown';

export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** An object of an installer set. */
export interface InstalledObject extends ObjectName {
  readonly health: ObjectHealth;
  /** Why it is not as it should be. */
  readonly message: string;
}

/** A phase of an installer set, with the condition that reports it. */
export interface InstalledPhase {
  readonly name: string;
  readonly condition: string;
  readonly objects: readonly InstalledObject[];
}

/** The effect of a changed TektonConfig on one component. */
export interface PlannedComponent {
  readonly kind: string;
  readonly name: string;
  readonly fate: string;
  readonly version?: string;
  readonly problem?: string;
  readonly objects: readonly {
    readonly object: { readonly kind: string; readonly namespace?: string; readonly name: string };
    readonly fate: string;
  }[];
}

/** The effect of a rollback on one object: its YAML before and after. */
export interface PlannedRollbackObject {
  readonly object: ObjectName;
  readonly action: string;
  readonly reason: string;
  readonly before: string;
  readonly after: string;
}

/** A step of a machine on its way to a node. */
export interface MachineStep {
  readonly state: 'done' | 'waiting' | 'failed' | 'ahead';
  readonly what: string;
  readonly why: string;
}

/** The input and the answer of each tool. Inputs are texts. */
export interface ToolAnswers {
  /** Input: `kind`, `name` of a TektonInstallerSet or an InstallManifest. */
  readonly 'installed-objects': { readonly phases: readonly InstalledPhase[] };
  /** Input: `yaml` of a TektonConfig. */
  readonly 'plan-config': { readonly components: readonly PlannedComponent[] };
  /** Input: `namespace`, `name`, `revision` of an apply set. */
  readonly 'plan-rollback': { readonly objects: readonly PlannedRollbackObject[] };
  /** Input: as of `plan-rollback`. */
  readonly rollback: { readonly summary: string; readonly failures: readonly string[] };
  /** Input: `namespace`, `name` of a ByoMachine. */
  readonly 'explain-machine': { readonly steps: readonly MachineStep[] };
  /** Input: `namespaces`, separated by commas, and `filter`, the text of the Runs page. The newest runs of the archive. */
  readonly 'archived-runs': { readonly runs: readonly KubeObject[]; readonly hasMore: boolean };
  /** Input: `kind`, `namespace`, `name`, and `uid` of one of several with that name. */
  readonly 'archived-run': { readonly run?: KubeObject; readonly parts: readonly KubeObject[] };
  /** Input: `namespace`, and `log`, the name of its log in the archive. */
  readonly 'archived-log': { readonly text: string; readonly isCut: boolean };
}

export type ToolName = keyof ToolAnswers;
export type ToolInput = Readonly<Record<string, string>>;

/** Asks the page's own server for work that needs a program. Rejects with an {@link ApiError}. */
export interface ToolApi {
  call<N extends ToolName>(tool: N, input: ToolInput): Promise<ToolAnswers[N]>;
}
