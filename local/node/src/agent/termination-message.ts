import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Clock } from '@tektite/meta';
import type { Container } from '@tektite/schema/kubernetes';
import { readLog } from '../logs/read-log.ts';

/** What a container may say at its end. */
export const longestMessage = 4096;
/** All containers of a Pod together. */
const longestOfPod = 12 * 1024;
const longestFromLog = 2048;
const linesFromLog = 80;

/**
 * The last words of a container: what it wrote to its termination log, else, if its policy says so and it failed, the end of
 * its log. The file was the container's to change, so it is read with care: no links, no pipes, no more than is wanted.
 */
export async function terminationMessage(
  container: Container,
  exitCode: number,
  containers: number,
  files: { readonly terminationLog: string | undefined; readonly log: string },
  clock: Clock,
): Promise<string | undefined> {
  const limit = Math.min(longestMessage, Math.floor(longestOfPod / Math.max(1, containers)));
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
