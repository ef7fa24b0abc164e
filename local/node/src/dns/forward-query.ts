import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { machineNetwork } from '../runtime/network.ts';
import { readFrames, writeFrame } from './tcp-frames.ts';

const timeoutMs = 2000;
const port = 53;

/** Asks the name servers of this machine, one after the other. Undefined: none of them answered. */
export async function forwardQuery(query: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer | undefined> {
  for (const server of machineServers()) {
    const answer = await (transport === 'udp' ? askByUdp(server, query) : askByTcp(server, query));
    if (answer) return answer;
  }
  return undefined;
}

/** Read each time: networks of a machine change. */
function machineServers(): string[] {
  try {
    return readFileSync('/etc/resolv.conf', 'utf8')
      .split('\n')
      .map((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? '')
      .filter((server) => isIP(server) !== 0);
  } catch {
    return [];
  }
}

function askByUdp(server: string, query: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(server) === 6 ? 'udp6' : 'udp4');
    const settle = (answer?: Buffer) => {
      timeout.removeEventListener('abort', late);
      socket.removeAllListeners('message');
      socket.close();
      resolve(answer);
    };
    const timeout = AbortSignal.timeout(timeoutMs);
    const late = () => settle();
    timeout.addEventListener('abort', late, { once: true });
    socket.unref();
    socket.once('error', () => settle());
    socket.on('message', (answer, from) => {
      // Only from the server that was asked, and to this question.
      if (from.port === port && answer.length >= 12 && answer.readUInt16BE(0) === query.readUInt16BE(0)) settle(answer);
    });
    socket.send(query, port, server);
  });
}

async function askByTcp(server: string, query: Buffer): Promise<Buffer | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const socket = await machineNetwork.connect(server, port, signal);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    writeFrame(socket, query);
    for await (const answer of readFrames(socket)) {
      socket.destroy();
      return answer;
    }
  } catch {
    // The next server may answer.
  }
  return undefined;
}
