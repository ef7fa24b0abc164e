import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type Clock, Quantity } from '@tektite/meta';
import type { Container, Pod } from '@tektite/schema/kubernetes';
import { readLog } from '../logs/read-log.ts';

/** The limit of a termination message. */
const longestMessage = 4096;
/** All containers of a Pod together. */
const longestOfPod = 12 * 1024;
/** All containers of a Pod that asks for more: objects have to stay well below what a server takes. */
const longestOnRequest = 512 * 1024;

/**
 * How many bytes each container of a Pod may say at its end, where that is more than a kubelet takes: a quantity such as
 * `64Ki`. Kubelets do not know it, and take as much as always.
 */
export const messageLimitAnnotation = 'tektite.dev/termination-message-limit';
/** The environment variable with the limit, for programs in such a Pod. */
export const messageLimitVariable = 'TEKTITE_TERMINATION_MESSAGE_LIMIT';
const longestFromLog = 2048;
const linesFromLog = 80;

/** How many bytes a container of this Pod may say at its end. */
export function messageLimit({ metadata, spec }: Pod): number {
  const containers = Math.max(1, (spec?.containers?.length ?? 0) + (spec?.initContainers?.length ?? 0));
  const usual = Math.min(longestMessage, Math.floor(longestOfPod / containers));
  return Math.max(usual, Math.min(askedLimit(metadata.annotations), Math.floor(longestOnRequest / containers)));
}

/** Whether a Pod asks for more than usual. */
export function asksForMore({ metadata }: Pod): boolean {
  return askedLimit(metadata.annotations) > longestMessage;
}

/** An invalid quantity counts as absent. */
function askedLimit(annotations: Readonly<Record<string, string>> | undefined): number {
  const text = annotations?.[messageLimitAnnotation];
  if (text === undefined) return 0;
  try {
    return Number(Quantity.parse(text).value);
  } catch {
    return 0;
  }
}

/**
 * The last words of a container: what it wrote to its termination log, else, if its policy says so and it failed, the end of
 * its log. The file was the container's to change, so it is read with care: no links, no pipes, no more than is wanted.
 */
export async function terminationMessage(
  container: Container,
  exitCode: number,
  limit: number,
  files: { readonly terminationLog: string | undefined; readonly log: string },
  clock: Clock,
): Promise<string | undefined> {
  const written = files.terminationLog === undefined ? '' : readTail(files.terminationLog, limit);
  if (written !== '') return written;
  if (container.terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return undefined;
  let text = '';
  for await (const chunk of readLog(files.log, undefined, { tailLines: linesFromLog }, clock)) text += chunk.toString();
  return cutHead(text, Math.min(limit, longestFromLog)) || undefined;
}

function readTail(path: string, limit: number): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    if (!fstatSync(fd).isFile()) return '';
    const buffer = Buffer.alloc(limit);
    const length = readSync(fd, buffer, 0, limit, Math.max(0, fstatSync(fd).size - limit));
    return buffer.toString('utf8', 0, length);
  } catch {
    return '';
  } finally {
    closeSync(fd);
  }
}

/** The end of a text, at most so many bytes of it. */
function cutHead(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= limit ? text : bytes.subarray(bytes.length - limit).toString();
}
