import type { LogRequest } from '../src/logs/log-messages.ts';
import { LogSession } from '../src/logs/log-session.ts';

/** The worker of the log view. Changes are sent at most every 60 ms: faster than people read, slower than chunks come. */
const session = new LogSession(
  (reply) => postMessage(reply),
  (flush) => setTimeout(flush, 60),
);
addEventListener('message', ({ data }: MessageEvent<LogRequest>) => session.receive(data));
