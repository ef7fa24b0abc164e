import type { Socket as UdpSocket } from 'node:dgram';
import { promises } from 'node:dns';
import { isIPv4, type Server, type Socket } from 'node:net';
import type { PodNetwork } from '../network/pod-network.ts';
import { clusterAnswer, type ServiceSource } from './cluster-records.ts';
import {
  type DnsAnswer,
  type DnsQuery,
  type DnsRecord,
  encodeAnswer,
  parseQuery,
  recordTypes,
  responseCodes,
} from './dns-message.ts';
import { forwardQuery, type NameServer } from './forward-query.ts';
import { readFrames, writeFrame } from './tcp-frames.ts';

export interface DnsServerOptions {
  readonly network: PodNetwork;
  /** The address to listen on, in the network of Pods. */
  readonly address: string;
  /** The last part of all names of the cluster. */
  readonly domain: string;
  readonly source: ServiceSource;
  /** The name servers that are asked for all other names. Default: those of the machine. */
  readonly upstream?: readonly NameServer[];
}

type Transport = 'udp' | 'tcp';

const port = 53;
const idleMs = 10_000;
/** Queries under way at once; more are dropped, and asked again by their clients. */
const maxUnderWay = 1000;
const maxAliases = 8;
/** Resolvers ask again after five seconds. */
const outerMs = 2000;

/**
 * The name server of Pods: answers for the names of the cluster itself, and passes everything else on to the name servers of the
 * machine.
 */
export class DnsServer implements AsyncDisposable {
  private readonly options: DnsServerOptions;
  private readonly sockets = new Set<Socket>();
  private udp: UdpSocket | undefined;
  private tcp: Server | undefined;
  private underWay = 0;

  constructor(options: DnsServerOptions) {
    this.options = options;
  }

  async start(): Promise<this> {
    const { network, address } = this.options;
    const [udp, tcp] = await Promise.all([network.listenUdp(address, port), network.listen(address, port)]);
    this.udp = udp;
    this.tcp = tcp;
    udp.on('error', () => undefined);
    udp.on('message', (bytes, from) => {
      void this.respond(bytes, 'udp').then(
        (answer) => answer && udp.send(answer, from.port, from.address, () => undefined),
      );
    });
    tcp.on('connection', (socket) => void this.serve(socket));
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.tcp?.close();
    const { udp } = this;
    if (udp) await new Promise<void>((resolve) => void udp.close(resolve));
  }

  private async serve(socket: Socket): Promise<void> {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(idleMs, () => socket.destroy());
    try {
      for await (const bytes of readFrames(socket)) {
        const answer = await this.respond(bytes, 'tcp');
        if (!answer) break;
        writeFrame(socket, answer);
      }
      socket.end();
    } catch {
      socket.destroy();
    }
  }

  /** Undefined: what was sent is no query, or there are too many. */
  private async respond(bytes: Buffer, transport: Transport): Promise<Buffer | undefined> {
    const query = parseQuery(bytes);
    if (!query || this.underWay >= maxUnderWay) return undefined;
    this.underWay++;
    try {
      const own = await this.answer(query);
      if (own) return encodeAnswer(query, own, transport);
      const passed = await forwardQuery(bytes, transport, this.options.upstream);
      return passed ?? encodeAnswer(query, { code: responseCodes.serverFailure, answers: [] }, transport);
    } finally {
      this.underWay--;
    }
  }

  private async answer(query: DnsQuery): Promise<DnsAnswer | undefined> {
    const { domain, source } = this.options;
    const found = clusterAnswer(query.name, query.type, domain, source);
    const alias = found?.answers.find((record) => record.type === 'CNAME');
    if (!found || alias?.type !== 'CNAME' || query.type === recordTypes.CNAME) return found;
    return { ...found, answers: [alias, ...(await this.follow(alias.target, query.type))] };
  }

  /** Resolvers do not follow an alias themselves: a server has to. */
  private async follow(target: string, type: number): Promise<readonly DnsRecord[]> {
    const { domain, source } = this.options;
    const followed: DnsRecord[] = [];
    for (let name = target.replace(/\.$/, '').toLowerCase(), hops = 0; hops < maxAliases; hops++) {
      const found = clusterAnswer(name, type, domain, source);
      if (!found) return [...followed, ...(await outerAddresses(name))];
      followed.push(...found.answers);
      const alias = found.answers.find((record) => record.type === 'CNAME');
      if (alias?.type !== 'CNAME') return followed;
      name = alias.target;
    }
    return followed;
  }
}

/** None, where the machine does not know them soon: the alias alone is an answer too. */
async function outerAddresses(name: string): Promise<DnsRecord[]> {
  const late = AbortSignal.timeout(outerMs);
  try {
    const found = await Promise.race([
      promises.lookup(name, { all: true, family: 4 }),
      new Promise<[]>((resolve) => late.addEventListener('abort', () => resolve([]), { once: true })),
    ]);
    return found.flatMap(({ address }) => (isIPv4(address) ? [{ type: 'A', name, ttl: 5, address } as const] : []));
  } catch {
    return [];
  }
}
