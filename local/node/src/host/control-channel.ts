import type { Readable } from 'node:stream';

/** The report of the scripts that start a container. */
export interface StartReport {
  /** The first process of the container, as the host counts. */
  readonly pid?: number;
  readonly error?: string;
  readonly started: boolean;
}

const longestReport = 64 * 1024;

/** Reads the report until it says how it went, or ends. */
export function readStartReport(channel: Readable): Promise<StartReport> {
  return new Promise((resolve) => {
    let text = '';
    const settle = () => {
      channel.removeAllListeners('data');
      channel.destroy();
      resolve(parseReport(text));
    };
    channel.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (/^started$/m.test(text) || text.length > longestReport) settle();
    });
    channel.once('end', settle);
    channel.once('error', settle);
  });
}

export function parseReport(text: string): StartReport {
  const pid = /^pid (\d+)$/m.exec(text)?.[1];
  const at = text.search(/^error /m);
  return {
    started: at < 0 && /^started$/m.test(text),
    ...(pid === undefined ? {} : { pid: Number(pid) }),
    ...(at < 0 ? {} : { error: text.slice(at + 'error '.length).trimEnd() }),
  };
}
