import { decodeJson, plainNumbers } from '@tektite/go';
import { quoteGo } from '@tektite/meta';
import { parseFirstYaml } from '@tektite/schema/yaml';

/** The response of a webhook, before it is decoded. */
export interface ServerResponse {
  readonly code: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Bodies of error responses are quoted up to here. */
const maxQuotedBytes = 2048;

const messages: ReadonlyMap<number, string> = new Map([
  [400, 'the server rejected our request for an unknown reason'],
  [401, 'the server has asked for the client to provide credentials'],
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [409, 'the server reported a conflict'],
  [422, 'the server rejected our request due to an error in our request'],
  [429, 'the server has received too many requests and has asked us to try again later'],
  [503, 'the server is currently unable to handle the request'],
  [504, 'the server was unable to return a response in the time allotted, but may still be processing the request'],
]);

/** The value in the body of an answer; throws an Error that says what is wrong with the answer, as upstream's client does. */
export function readAnswer(response: ServerResponse): unknown {
  const { code, contentType, body } = response;
  if (code < 200 || code > 206) throw new Error(statusMessage(body) ?? describeFailure(response));
  if (body.length === 0)
    throw new Error(
      `0-length response with status code: ${code} and content type: ${contentType === '' ? 'application/json' : contentType}`,
    );
  return parseAnswer(body);
}

/** A body that is no JSON is read as YAML, of which JSON is a part. */
function parseAnswer(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body);
  if (!text.trimStart().startsWith('{')) return parseFirstYaml(text)?.value ?? null;
  try {
    const { value, hasNumberTexts } = decodeJson(body);
    return hasNumberTexts ? plainNumbers(value) : value;
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${(error as Error).message}`, { cause: error });
  }
}

/** A failure that explains itself with a Status. */
function statusMessage(body: Uint8Array): string | undefined {
  try {
    const { kind, status, message } = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;
    if ((kind ?? 'Status') === 'Status' && status !== undefined && status !== 'Success' && typeof message === 'string')
      return message;
  } catch {
    // Any other body will do; it is quoted where it is text.
  }
  return undefined;
}

function describeFailure({ code, contentType, body }: ServerResponse): string {
  const isText = contentType === '' || contentType.trim().toLowerCase().startsWith('text/');
  const quoted = isText ? new TextDecoder().decode(body.subarray(0, maxQuotedBytes)).trim() : 'unknown';
  if (code === 403 || code === 415) return quoted;
  if (code === 406)
    return quoted === '' || quoted === 'unknown'
      ? 'the server was unable to respond with a content type that the client supports'
      : quoted;
  const known = messages.get(code);
  if (known !== undefined) return known;
  return code >= 500
    ? `an error on the server (${quoteGo(quoted)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`;
}
