import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { coreInterceptors } from './core-interceptors.ts';
import { githubInterceptor } from './github.ts';
import type { SecretReader } from '../secrets/secret-reader.ts';
import type { Interceptor, InterceptorRequest } from './interceptor.ts';

const secrets: SecretReader = ({ secretName, secretKey }) =>
  secretName === 'known' && secretKey === 'token'
    ? Promise.resolve(Buffer.from('secret'))
    : Promise.reject(new Error(`secrets "${secretName}" not found`));

const context = { event_url: '/hook?param=value', trigger_id: 'namespaces/ns/triggers/t' };
const event = {
  ref: 'refs/heads/main',
  sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
  count: 2,
  text: 'Höhe <1>',
  list: ['one', 'two'],
  json: '{"number": 2}',
  yaml: 'key: value',
  url: 'https://user:password@site.example.com/path/to?query=search&query=more#first',
};
const header = { 'X-Github-Event': ['push'], 'X-Gitlab-Event': ['Push Hook'] };

async function run(name: string, request: Partial<InterceptorRequest>) {
  const {
    continue: proceeds,
    status,
    extensions,
  } = await (coreInterceptors[name] as Interceptor)(
    { body: JSON.stringify(event), header, context, ...request },
    secrets,
  );
  return proceeds ? (extensions ?? {}) : `${status.code} ${status.message}`;
}

const overlay = (expression: string, key = 'v') =>
  run('cel', { interceptor_params: { overlays: [{ key, expression }] }, extensions: { earlier: { x: 1 } } });

describe('the CEL interceptor', () => {
  it.each<[string, unknown]>([
    ["body.ref.split('/')[2]", 'main'],
    ['body.sha.truncate(7)', 'ec26c3e'],
    ["header.match('x-github-event', 'push')", true],
    ["header.canonical('x-github-event')", 'push'],
    ['body.count + 1.0', 3],
    ['int(body.count) + 3', 5],
    ['body.count > 1', true],
    ['body.json.parseJSON().number == body.count', true],
    ['body.yaml.parseYAML().key', 'value'],
    ["body.url.parseURL().query['query']", 'search,more'],
    ['body.url.parseURL().auth.username', 'user'],
    ['requestURL.parseURL().path', '/hook'],
    ["{'b': body.text, 'a': [1, null]}.marshalJSON()", String.raw`{"a":[1,null],"b":"Höhe \u003c1\u003e"}`],
    ['body.list.first()', 'one'],
    ['body.list.last()', 'two'],
    ["body.list.join(', ')", 'one, two'],
    ["body.text.lowerAscii().translate('[^a-z0-9]+', '')", 'hhe1'],
    ["'ab'.translate('(a)(b)?', '$2-${1}')", 'b-a'],
    ["string(base64.decode('YWJj'))", 'abc'],
    ["base64.decode('YWJj')", 'YWJj'],
    ['math.greatest(1, 3, 2)', 3],
    ['sets.contains([1, 2], [1])', true],
    ['[3, 1, 2].sort().slice(0, 2)', [1, 2]],
    ["[{'n': 2}, {'n': 1}].sortBy(x, x.n).map(x, x.n)", [1, 2]],
    ['extensions.earlier.x', 1],
    ["'secret'.compareSecret('token', 'known')", true],
    ["'Secret'.compareSecret('token', 'known', 'another-namespace')", false],
    ["[duration('90s'), timestamp('2020-01-01T00:00:00Z')]", ['90s', '2020-01-01T00:00:00Z']],
  ])('evaluates %s', async (expression, value) => {
    expect(await overlay(expression)).toEqual({ v: value });
  });

  it.each([
    [
      'body.',
      /^3 error evaluating cel expression: failed to parse expression "body.": ERROR: <input>:1:6: Syntax error/,
    ],
    ['nosuch.x', /^3 .*expression "nosuch.x" check failed: ERROR: <input>:1:1: undeclared reference to 'nosuch'/],
    [
      'body.nosuch',
      '3 error evaluating cel expression: expression "body.nosuch" failed to evaluate: no such key: nosuch',
    ],
    [
      "'x'.compareSecret('token', 'none')",
      /failed to find secret 'v1beta1.SecretRef\{SecretKey:"token", SecretName:"none"\}' in compareSecret: secrets "none" not found$/,
    ],
    [
      "'[1]'.parseJSON()",
      /failed to decode '\[1\]' in parseJSON: json: cannot unmarshal array into Go value of type map\[string\]interface \{\}$/,
    ],
    ['null', "13 failed to convert overlay result to type: type conversion error from 'null_type' to '[]uint8'"],
    [
      "'a'.translate('[', '')",
      /failed to parse regular expression for translation: error parsing regexp: missing closing \]/,
    ],
  ])('denies for %s', async (expression, message) => {
    expect(await overlay(expression)).toMatch(message);
  });

  it('reads secrets even where `||` hides other errors', async () => {
    expect(await overlay("body.nosuch == 1 || 'secret'.compareSecret('token', 'known')")).toEqual({ v: true });
  });

  it('puts overlays at the paths of their keys', async () => {
    expect(await overlay('1', 'a.b.2.c')).toEqual({ a: { b: [null, null, { c: 1 }] } });
    expect(await overlay('1', String.raw`a\.b`)).toEqual({ 'a.b': 1 });
    expect(await overlay('1', '__proto__.x')).toEqual(JSON.parse('{"__proto__": {"x": 1}}'));
    expect(await overlay('1', 'a.1000000000')).toMatch('array index 1000000000 is too large');
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('lets pass only what its filter is true for', async () => {
    const filter = (text: string, body = '{}') => run('cel', { body, interceptor_params: { filter: text } });
    expect(await filter('true')).toEqual({});
    expect(await filter("'true'")).toBe("9 expression 'true' did not return true");
    expect(await filter('true', '[]')).toBe(
      '3 error making the evaluation context: failed to parse the body as JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    );
  });

  it('gives up on an expression that would run for ever', async () => {
    const loops = 'l.all(a, l.all(b, l.all(c, l.all(d, l.all(e, l.all(f, l.all(g, a+b+c+d+e+f+g > 0)))))))';
    const bomb = loops.replaceAll('l.', '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15].');
    expect(await overlay(bomb)).toMatch(/operation cancelled: actual cost limit exceeded$/);
    expect(await overlay("body.sha.matches('(a*)*(a*)*(a*)*b')")).toEqual({ v: expect.any(Boolean) });
    const body = JSON.stringify({ a: 'x'.repeat(1_000_000) });
    const overlays = [{ key: 'v', expression: "body.a.replace('', body.a)" }];
    expect(await run('cel', { body, interceptor_params: { overlays } })).toMatch(/the replaced text is too long$/);
  });
});

const body = '{"a":1}';
const signature = (algorithm: string, key = 'secret') =>
  `${algorithm}=${createHmac(algorithm, key).update(body).digest('hex')}`;
const secretRef = { secretName: 'known', secretKey: 'token' };

describe('signatures', () => {
  it.each([
    [signature('sha256'), {}],
    [signature('sha1'), {}],
    [signature('sha256', 'wrong'), '9 payload signature check failed'],
    ['sha256=zz', `9 error decoding signature "sha256=zz": encoding/hex: invalid byte: U+007A 'z'`],
    ['sha256=abc', '9 error decoding signature "sha256=abc": encoding/hex: odd length hex string'],
    ['md5=00', '9 unknown hash type prefix: "md5"'],
    ['x', '9 error parsing signature "x"'],
    ['', '9 no X-Hub-Signature-256 header set'],
  ])('of GitHub: %s', async (value, expected) => {
    const request = { body, header: { ...header, 'X-Hub-Signature-256': [value] }, interceptor_params: { secretRef } };
    expect(await run('github', request)).toEqual(expected);
  });

  it('of Bitbucket are in another header', async () => {
    const request = (value: string) => ({
      body,
      header: { 'X-Hub-Signature': [value] },
      interceptor_params: { secretRef },
    });
    expect(await run('bitbucket', request(signature('sha256')))).toEqual({});
    expect(await run('bitbucket', request('sha256=00'))).toBe(
      '9 error validating signature: payload signature check failed',
    );
    expect(await run('bitbucket', request(''))).toBe('3 no X-Hub-Signature header set');
  });

  it('of GitLab are the token itself', async () => {
    const request = (token: string) => ({ header: { 'X-Gitlab-Token': [token] }, interceptor_params: { secretRef } });
    expect(await run('gitlab', request('secret'))).toEqual({});
    expect(await run('gitlab', request('secret2'))).toBe('3 Invalid X-GitLab-Token');
    expect(await run('gitlab', { interceptor_params: { secretRef: { secretName: 'no', secretKey: 'k' } } })).toBe(
      '3 no X-Gitlab-Token header set',
    );
  });

  it.each(['github', 'gitlab', 'bitbucket'])('of %s come after the type of the event', async (name) => {
    expect(await run(name, { interceptor_params: { eventTypes: ['x'] } })).toMatch(/^9 event type .* is not allowed$/);
    expect(await run(name, { interceptor_params: { eventTypes: [] } })).toMatch(/^9 event type .* is not allowed$/);
    expect(await run(name, { interceptor_params: { secretRef: {} } })).toBe(
      `9 ${name} interceptor secretRef.secretKey is empty`,
    );
    expect(await run(name, { interceptor_params: { eventTypes: 'x' } })).toBe(
      '3 failed to parse interceptor params: invalid json: json: cannot unmarshal string into Go struct field InterceptorParams.eventTypes of type []string',
    );
  });
});

describe('the Slack interceptor', () => {
  it('adds the requested fields of the form', async () => {
    const form = { 'Content-Type': ['application/x-www-form-urlencoded'], 'X-Slack-Signature': ['v0=x'] };
    const request = { header: form, body: '{"text":["hi"],"user":["a"]}' };
    expect(await run('slack', { ...request, interceptor_params: { requestedFields: ['text'] } })).toEqual({
      text: ['hi'],
    });
    expect(await run('slack', { ...request, interceptor_params: { requestedFields: ['no'] } })).toBe(
      '5 requested field does not exists in payload map[text:[hi] user:[a]]',
    );
    expect(await run('slack', request)).toBe('5 missing requested field definition');
    expect(await run('slack', {})).toMatch(/^3 missing header in payload/);
  });
});

describe("GitHub's API", () => {
  const ownersFile = { content: Buffer.from('approvers: [Alice]').toString('base64') };
  const answers: Readonly<Record<string, unknown>> = {
    'https://api.github.com/repos/o/r/pulls/7/files?per_page=100&page=1': [{ filename: 'a.ts' }, { filename: 'b.ts' }],
    'https://github.example.com/api/v3/repos/o/r/contents/OWNERS': ownersFile,
    'https://api.github.com/repos/o/r/contents/OWNERS': ownersFile,
  };
  const asked: string[] = [];
  const github = githubInterceptor((url, headers) => {
    asked.push(`${url} ${headers['authorization'] ?? ''}`);
    const answer = answers[url];
    const text = JSON.stringify(answer ?? { message: 'Not Found' });
    return Promise.resolve(new Response(text, { status: answer === undefined ? 404 : 200 }));
  });
  const payload = (sender: string, rest = {}) =>
    JSON.stringify({ number: 7, repository: { full_name: 'o/r' }, sender: { login: sender }, ...rest });

  it('gives the files of a pull request, and a push has its own', async () => {
    const files = (event: string, text: string) =>
      github(
        {
          body: text,
          header: { 'X-Github-Event': [event] },
          context,
          interceptor_params: { addChangedFiles: { enabled: true } },
        },
        secrets,
      );
    expect((await files('pull_request', payload('a'))).extensions).toEqual({ changed_files: 'a.ts,b.ts' });
    const commits = [{ added: ['x'], modified: ['y'], removed: [] }];
    expect((await files('push', payload('a', { commits }))).extensions).toEqual({ changed_files: 'x,y' });
    expect((await files('pull_request', '{}')).status.message).toBe(
      "error parsing body: pull_request body missing 'number' field",
    );
  });

  it('says who may start a run', async () => {
    const check = (sender: string, event: string, rest = {}) =>
      github(
        {
          body: payload(sender, rest),
          header: { 'X-Github-Event': [event] },
          context,
          interceptor_params: { githubOwners: { enabled: true, checkType: 'none', personalAccessToken: secretRef } },
        },
        secrets,
      );
    expect((await check('alice', 'pull_request')).continue).toBe(true);
    expect(asked.at(-1)).toBe('https://api.github.com/repos/o/r/contents/OWNERS Bearer secret');
    expect((await check('mallory', 'pull_request')).status.message).toBe('owners check requirements not met');
    const comment = (text: string) => ({ issue: { number: 7 }, comment: { body: text } });
    expect((await check('alice', 'issue_comment', comment('/ok-to-test'))).continue).toBe(true);
    expect((await check('alice', 'issue_comment', comment('hello'))).continue).toBe(false);
  });

  it('gets the token of a host that the event names only where events are checked', async () => {
    const body = payload('alice');
    const header = { 'X-Github-Event': ['pull_request'], 'X-Github-Enterprise-Host': ['github.example.com'] };
    const githubOwners = { enabled: true, checkType: 'none', personalAccessToken: secretRef };
    const before = asked.length;
    const answer = await github({ body, header, context, interceptor_params: { githubOwners } }, secrets);
    expect(answer.status.message).toContain('the token is not sent to github.example.com: set secretRef');
    expect(asked).toHaveLength(before);
    const signature = `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`;
    const signed = { ...header, 'X-Hub-Signature-256': [signature] };
    const params = { githubOwners, secretRef };
    expect((await github({ body, header: signed, context, interceptor_params: params }, secrets)).continue).toBe(true);
    expect(asked.at(-1)).toBe('https://github.example.com/api/v3/repos/o/r/contents/OWNERS Bearer secret');
  });

  it('is not asked at a host that is more than a host', async () => {
    const header = { 'X-Github-Event': ['pull_request'], 'X-Github-Enterprise-Host': ['evil.example.com/x?'] };
    const params = { addChangedFiles: { enabled: true } };
    const answer = await github({ body: payload('a'), header, context, interceptor_params: params }, secrets);
    expect(answer.status.message).toBe('error getting changed files: invalid host "evil.example.com/x?"');
  });
});
