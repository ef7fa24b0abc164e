import type { Status } from '@tektite/meta';

/** The number in front of every message. */
export const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** How a terminal session is carried over a WebSocket. */
export interface SessionProtocol {
  /** A message of a channel, as bytes or as text. */
  encode(to: number, chunk: Uint8Array): Uint8Array | string;
  decode(message: Buffer): { readonly from: number; readonly body: Buffer } | undefined;
  /** The last message of a session, on the error channel. `undefined`: there is none. */
  encodeStatus(status: Status): string | undefined;
}

type Framing = Pick<SessionProtocol, 'encode' | 'decode'>;

/** The channel is the first byte. */
const binary: Framing = {
  encode: (to, chunk) => Buffer.concat([Buffer.of(to), chunk]),
  decode: (message) => (message.length === 0 ? undefined : { from: message[0] ?? 0, body: message.subarray(1) }),
};

/** The channel is the first character, a digit; the rest is base64. For clients that cannot send bytes. */
const base64: Framing = {
  encode: (to, chunk) => `${to}${Buffer.from(chunk).toString('base64')}`,
  decode(message) {
    const text = message.toString('latin1');
    if (!/^[0-9]/.test(text)) return undefined;
    return { from: Number(text[0]), body: Buffer.from(text.slice(1), 'base64') };
  },
};

const json = (status: Status): string => JSON.stringify(status);
/** Before version 4 a failure was a text, and success was silence. */
const plain = (status: Status): string | undefined => (status.status === 'Success' ? undefined : status.message);

/** The protocols of upstream, the best first. The fifth can also close single channels. */
const protocols: ReadonlyMap<string, SessionProtocol> = new Map([
  ['v5.channel.k8s.io', { ...binary, encodeStatus: json }],
  ['v4.channel.k8s.io', { ...binary, encodeStatus: json }],
  ['v4.base64.channel.k8s.io', { ...base64, encodeStatus: json }],
  ['channel.k8s.io', { ...binary, encodeStatus: plain }],
  ['base64.channel.k8s.io', { ...base64, encodeStatus: plain }],
]);

export const sessionProtocols: readonly string[] = [...protocols.keys()];

/** The protocol that was agreed on. A client that names none gets the oldest. */
export function sessionProtocol(name: string): SessionProtocol {
  return protocols.get(name) ?? { ...binary, encodeStatus: plain };
}

/** The protocols of a stream that only goes to the client, such as a log: messages without channels. */
export const streamProtocols: readonly string[] = ['binary.k8s.io', 'base64.binary.k8s.io'];

export function encodeStreamed(protocol: string, chunk: Uint8Array): Uint8Array | string {
  return protocol === 'base64.binary.k8s.io' ? Buffer.from(chunk).toString('base64') : chunk;
}

/** Frames of SPDY in the messages of a WebSocket: how kubectl forwards ports. */
export const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io';

/** The protocols of forwarded ports that have a pair of channels for each port of the request. */
export const channelProtocols: readonly string[] = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io'];
