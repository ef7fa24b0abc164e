import { isStatusError, type Status, StatusError } from '@tektite/meta';
import type { TerminalSize } from '../request/api-response.ts';

/** The size of a terminal, as clients send it. */
export function readSize(text: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
    return typeof width === 'number' && typeof height === 'number' ? { rows: height, columns: width } : undefined;
  } catch {
    return undefined;
  }
}

/** How a session ended that failed. */
export function statusOf(error: unknown): Status {
  if (isStatusError(error)) return error.status;
  const message = error instanceof Error ? error.message : String(error);
  return new StatusError({ code: 500, reason: 'InternalError', message }).status;
}
