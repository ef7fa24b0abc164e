import type { DynamicObject } from '@tektite/meta';

/** Where an object comes from. Known to filters and errors, never sent to a cluster. */
export interface Origin {
  /** A file, a URL, `standard input`, or what the program that made it is called. */
  readonly source: string;
  /** The document of the source, from 0; members of a List share one. */
  readonly index: number;
  /** The line of its first content, from 1. */
  readonly line?: number;
  /** Of objects of a Helm chart that are hooks: when they are meant to be run, as `pre-install,pre-upgrade`. */
  readonly hook?: string;
}

/** An object and where it comes from. */
export interface ManifestItem {
  readonly object: DynamicObject;
  readonly origin: Origin;
}

/** `release.yaml:12`, or `objects[3]` where there are no lines. */
export function formatOrigin({ source, index, line }: Origin): string {
  return line === undefined ? `${source}[${index}]` : `${source}:${line}`;
}
