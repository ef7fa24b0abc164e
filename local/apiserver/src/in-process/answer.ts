import { ClientError, parseWarnings, type ResponseHead, statusErrorOf, type TransportResponse } from '@tektite/client';
import { deepFreeze, stringifyJson } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';
import type { ApiResponse } from '../request/api-response.ts';

/** The whole answer, as `request` gives it. */
export async function readAnswer(answer: ApiResponse): Promise<TransportResponse> {
  const head = headOf(answer);
  if (answer.type === 'text') return { ...head, body: answer.text };
  if (answer.type === 'object')
    return { ...head, body: answer.media === 'yaml' ? formatYaml(answer.object) : deepFreeze(answer.object) };
  if (answer.type !== 'stream') return { ...head, body: '' };
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.stream) chunks.push(chunk);
  return { ...head, body: Buffer.concat(chunks).toString('utf8') };
}

/** The error for an answer that is no watch or stream. */
export async function errorOf(answer: ApiResponse): Promise<Error> {
  if (answer.code >= 300) return statusErrorOf(await readAnswer(answer));
  return new ClientError(
    'INVALID_RESPONSE',
    'the server did not answer with a watch; is the query without watch=true?',
  );
}

export function headOf(answer: ApiResponse): ResponseHead {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(answer.headers ?? {}))
    headers[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
  const warning = answer.headers?.warning ?? [];
  return { status: answer.code, headers, warnings: parseWarnings(typeof warning === 'string' ? [warning] : warning) };
}

export async function* bytesOf(answer: ApiResponse): AsyncGenerator<Uint8Array> {
  if (answer.type === 'stream') yield* answer.stream;
  else if (answer.type === 'text') yield new TextEncoder().encode(answer.text);
  else if (answer.type === 'object') yield new TextEncoder().encode(stringifyJson(answer.object));
}
