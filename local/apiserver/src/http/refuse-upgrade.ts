import type { Duplex } from 'node:stream';
import type { StatusError } from '@tektite/meta';
import type { ApiResponse } from '../request/api-response.ts';
import { objectOf } from '../request/stored-answer.ts';

export function failure(error: StatusError): ApiResponse {
  return { code: error.code, type: 'object', media: 'json', object: error.status };
}

/** Answers a request to switch protocols as any other request, and ends the connection. */
export function refuse(socket: Duplex, answer: ApiResponse): void {
  const body = answer.type === 'text' ? answer.text : (JSON.stringify(objectOf(answer)) ?? '');
  const type = answer.type === 'text' ? answer.contentType : 'application/json';
  const lines = [
    `HTTP/1.1 ${answer.code} `,
    `content-type: ${type}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  if (answer.type === 'watch') answer.source.stop();
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
