import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInCluster } from '@tektite/client';
import { version } from '../version.ts';

/** The image of this program, which on this machine only names it. */
export const ownImage: string = `tektite.dev/tektite:${version}`;

const registry = 'tektite.dev';
/** The images that Pods of TaskRuns start with. A release has them beside that of the program. */
export const entrypointImage: string = `${registry}/entrypoint:${version}`;
export const shellImage: string = `${registry}/shell:${version}`;

/** How containers run this same program. */
export interface OwnProgram {
  readonly image: string;
  readonly command: readonly string[];
  /** Folders of this machine that have it, by where they are in the container. */
  readonly folders: Readonly<Record<string, string>>;
  /** Where its webhooks and its health are. */
  readonly webhookPort: number;
  readonly statusPort: number;
}

/**
 * This program, for the Pods of what it installs. On a cluster it is where it is here, in an image. On this machine
 * Pods are processes that do not see all of its files, so the program is mounted; and that share its ports with all
 * processes, so they take ports that are seldom used.
 */
export function ownProgram(environment: Readonly<Record<string, string | undefined>> = process.env): OwnProgram {
  const image = environment.TEKTITE_IMAGE ?? ownImage;
  const script = realpathSync(process.argv[1] ?? '');
  const { execPath, execArgv } = process;
  if (isInCluster())
    return { image, command: [execPath, ...execArgv, script], folders: {}, webhookPort: 8443, statusPort: 9090 };
  // The folder with `bin` and `dist`, and that of Node where it is not the system's.
  const isOfSystem = execPath.startsWith('/usr/');
  return {
    image,
    command: [isOfSystem ? execPath : '/opt/node/bin/node', join('/opt/tektite/bin', 'tektite.js')],
    folders: {
      '/opt/tektite': dirname(dirname(script)),
      ...(isOfSystem ? {} : { '/opt/node': dirname(dirname(execPath)) }),
    },
    webhookPort: 18_443,
    statusPort: 19_090,
  };
}
