import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'undici';

/** The resources that a server holds. */
export interface Vitals {
  /** Before a collection, and after it. */
  readonly residentMegabytes: number;
  readonly collectedMegabytes: number;
  /** The heap after a full collection: what is reachable, whatever V8 has given back to the system. */
  readonly heapMegabytes: number;
  readonly descriptors: number;
  readonly diskMegabytes: number;
}

/** The server process under load, its folder, and the address of its inspector. */
export interface Subject {
  readonly pid: number;
  readonly folder: string;
  readonly inspector: string;
}

/** Collects garbage in the server, then reads its vitals. */
export async function vitals({ pid, folder, inspector }: Subject): Promise<Vitals> {
  const resident = residentMegabytes(pid);
  const heapMegabytes = (await settledHeap(inspector)) / 1e6;
  return {
    residentMegabytes: resident,
    collectedMegabytes: residentMegabytes(pid),
    heapMegabytes,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    diskMegabytes: folderBytes(folder) / 1e6,
  };
}

export function residentMegabytes(pid: number): number {
  return (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024) / 1e6;
}

/** Milliseconds for which the main thread was ready to run and had no core: delays that are not the server's. */
export function coreWaitMilliseconds(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** Blocks that the files of a folder take. Files may disappear while they are counted. */
function folderBytes(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0) * 512;
  }
  return bytes;
}

/** Asks the server's inspector for a full collection and the heap in use after it. */
async function settledHeap(inspector: string): Promise<number> {
  const socket = new WebSocket(inspector);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let id = 0;
  const call = (method: string, params: object = {}) => {
    const own = ++id;
    socket.send(JSON.stringify({ id: own, method, params }));
    return new Promise<{ result?: { value?: number } }>((resolve) => {
      socket.addEventListener('message', (event) => {
        const answer = JSON.parse(String(event.data)) as { id: number; result: { result?: { value?: number } } };
        if (answer.id === own) resolve(answer.result);
      });
    });
  };
  // Twice: finalizers of the first make garbage for the second.
  await call('HeapProfiler.collectGarbage');
  await call('HeapProfiler.collectGarbage');
  const { result } = await call('Runtime.evaluate', { expression: 'process.memoryUsage().heapUsed' });
  socket.close();
  return result?.value ?? Number.NaN;
}
