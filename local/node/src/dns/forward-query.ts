import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { machineNetwork } from '../runtime/network.ts';
import { readFrames, writeFrame } from './tcp-frames.ts';

export interface NameServer {
  readonly address: string;
  readonly port: number;
}

const timeoutMs = 2000;

/** Asks name servers, one after the other; those of this machine by default. Undefined: none of them answered. */
export async function forwardQuery(
  query: Buffer,
  transport: 'udp' | 'tcp',
  servers: readonly NameServer[] = machineServers(),
): Promise<Buffer | undefined> {
  for (const server of servers) {
    const answer = await (transport === 'udp' ? askByUdp(server, query) : askByTcp(server, query));
    if (answer) return answer;
  }
  return undefined;
}

/** Read each time: networks of a machine change. */
function machineServers(): NameServer[] {
  try {
    return readFileSync('/etc/resolv.conf', 'utf8')
      .split('\n')
      .map((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? '')
      .filter((address) => isIP(address) !== 0)
      .map((address) => ({ address, port: 53 }));
  } catch {
    return [];
  }
}

function askByUdp({ address, port }: NameServer, query: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
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
    socket.send(query, port, address);
  });
}

async function askByTcp({ address, port }: NameServer, query: Buffer): Promise<Buffer | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const socket = await machineNetwork.connect(address, port, signal);
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
