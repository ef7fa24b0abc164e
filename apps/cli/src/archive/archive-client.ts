import { type Client, kinds } from '@tektite/client';
import { readerAccount, serviceName, urlAnnotation } from '@tektite/results';
import { Client as HttpClient } from 'undici';
import { UserError } from '../user-error.ts';

const namespace = 'tekton-pipelines';
const secretName = 'tekton-results-tls';
/** Where the archive is, if the Service does not say it. */
const urlVariable = 'TEKTITE_RESULTS_URL';

/** A record of the archive, as REST sends it. */
export interface ArchivedRecord {
  readonly name: string;
  readonly uid: string;
  readonly data: { readonly type: string; readonly value: string };
}

interface RecordList {
  readonly records?: readonly ArchivedRecord[];
  readonly next_page_token?: string;
}

/** The API of Tekton Results: ours or upstream's. */
export class ArchiveClient implements AsyncDisposable {
  private readonly http: HttpClient;
  private readonly token: string;

  private constructor(http: HttpClient, token: string) {
    this.http = http;
    this.token = token;
  }

  /** Finds the archive of a cluster; `undefined` when it has none. */
  static async find(client: Client): Promise<ArchiveClient | undefined> {
    const service = await client.getOrUndefined(kinds.Service, { namespace, name: serviceName });
    const url = process.env[urlVariable] ?? service?.metadata.annotations?.[urlAnnotation];
    if (!service && !url) return undefined;
    if (!url)
      throw new UserError(
        `the archive is in the cluster: forward its port (kubectl port-forward -n ${namespace} service/${serviceName} 8080) and set ${urlVariable}=https://localhost:8080`,
      );
    const secret = await client.getOrUndefined(kinds.Secret, { namespace, name: secretName });
    const ca = Buffer.from(secret?.data?.['tls.crt'] ?? '', 'base64').toString();
    // The certificate is that of the Service, wherever its server is reached.
    const connect = ca === '' ? {} : { ca, servername: `${serviceName}.${namespace}.svc.cluster.local` };
    return new ArchiveClient(new HttpClient(url, { connect }), await tokenOf(client));
  }

  /** The archive; an error that says what to do when there is none. */
  static async open(client: Client): Promise<ArchiveClient> {
    const found = await ArchiveClient.find(client);
    if (found) return found;
    throw new UserError('the cluster has no archive: start it with `tektite up --systems pipelines,results`');
  }

  /** Records that match a filter, page by page. */
  async *records(parent: string, filter: string, newestFirst = true): AsyncIterable<ArchivedRecord> {
    for (let token = ''; ; ) {
      const query = new URLSearchParams({ filter, page_size: '50', ...(token ? { page_token: token } : {}) });
      if (newestFirst) query.set('order_by', 'create_time desc');
      const { records = [], next_page_token: next } = (await this.json(`${parent}/records?${query}`)) as RecordList;
      yield* records;
      if (!next) return;
      token = next;
    }
  }

  /** A log, as it comes. */
  async log(name: string): Promise<AsyncIterable<Buffer>> {
    const { statusCode, body } = await this.get(name);
    if (statusCode === 200) return body as AsyncIterable<Buffer>;
    throw refusal(statusCode, await body.text());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.http.close();
  }

  private async json(path: string): Promise<unknown> {
    const { statusCode, body } = await this.get(path);
    const text = await body.text();
    if (statusCode !== 200) throw refusal(statusCode, text);
    return JSON.parse(text) as unknown;
  }

  private async get(path: string) {
    try {
      return await this.http.request({
        method: 'GET',
        path: `/apis/results.tekton.dev/v1alpha2/parents/${path}`,
        headers: { authorization: `Bearer ${this.token}` },
      });
    } catch (error) {
      throw new UserError(`the archive does not answer: ${(error as Error).message}`, 1);
    }
  }
}

interface Failure {
  readonly message?: string;
}

function refusal(code: number, text: string): UserError {
  let message = text;
  try {
    const answer = JSON.parse(text) as Failure & { readonly error?: Failure };
    // Errors of streams are wrapped.
    message = answer.message ?? answer.error?.message ?? text;
  } catch {
    // Not JSON: from something in between.
  }
  return new UserError(code === 401 ? `the archive may not be read: ${message}` : `the archive: ${message}`, 1);
}

/** The archive wants a token, also from those whom the cluster knows by a certificate. */
async function tokenOf(client: Client): Promise<string> {
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: 600 },
  };
  try {
    const answer = await client.createSubresource(
      kinds.ServiceAccount,
      { namespace, name: readerAccount },
      'token',
      review as never,
    );
    return (answer as unknown as { readonly status: { readonly token: string } }).status.token;
  } catch (error) {
    throw new UserError(
      `the archive needs a token, and none could be made of the service account ${namespace}/${readerAccount}: ${(error as Error).message}`,
      1,
    );
  }
}
