import type { DynamicObject } from '@tektite/meta';

/** One installer set of those that belong together. */
export interface SetPart {
  /** The prefix of the name: `pipeline-main-static-`. */
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
  /** The hash of the input of the sets; without one, sets are not compared. */
  readonly hash?: string;
  /** Where sets have what is compared with `hash`, and what one without it counts as. Default: the annotation that upstream hashes into. */
  readonly compared?: { readonly annotation: string; readonly absent: string };
  readonly imagesHash?: string;
  readonly payload?: string;
  /** For sets of which there is one for each minor version of the operator: those of other minor versions stay. */
  readonly minorVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The effect of a changed hash. Default `update`: the set stays, with other objects. */
  readonly onChange?: 'update' | 'recreate';
  /** The effect of a changed version. Default `recreate`, as upstream; `update` replaces in place. */
  readonly onUpgrade?: 'update' | 'recreate';
}
