import type { DynamicObject } from '@tektite/meta';

/** One installer set of those that belong together. */
export interface SetPart {
  /** What the name begins with: `pipeline-main-static-`. */
  readonly generateName: string;
  readonly objects: readonly DynamicObject[];
}

/** Installer sets of one type of one component, as they should be. */
export interface WantedSets {
  /** The component's kind, or what else makes sets. */
  readonly createdBy: string;
  /** `main`, `pre`, `post`, `custom-…`, `chain`, … */
  readonly type: string;
  readonly parts: readonly SetPart[];
  readonly targetNamespace: string;
  /** Undefined: sets of any version will do, as for secrets that outlive upgrades. */
  readonly version?: string;
  /** Of what the sets are made; a set without it is not looked at more closely. */
  readonly hash?: string;
  readonly imagesHash?: string;
  readonly payload?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What a changed hash means. Default `update`: the set stays, with other objects. */
  readonly onChange?: 'update' | 'recreate';
  /** What a changed version means. Default `recreate`, as upstream; `update` replaces in place. */
  readonly onUpgrade?: 'update' | 'recreate';
}
