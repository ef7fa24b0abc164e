import { type Random, seededRandom } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { builtinKinds } from '@tektite/schema/kubernetes';
import { expect } from 'vitest';
import type { ApiResponse } from './request/api-response.ts';
import { admin, settle, TestServer } from './test-support.ts';

/** For tests with hostile input: its sender, its parts, and the properties of every answer. */

/** Answers with a 5xx that are meant: upstream's own, and what this server does not offer. */
const knownServerErrors = [
  /^content is not a list$/,
  /^error trying to reach service: /,
  /^no endpoints available for service /,
  /^no service port \d+ found for service /,
  /^resourceVersion should not be set on objects to be created$/,
  /^resourceVersion: Invalid value: .* strconv\.ParseUint/,
  /^strconv\.ParseUint/,
  /^Timeout: Too large resource version/,
  /^failed to create typed (patch|live) object/,
  /^failed to convert new object/,
  /^unknown patch type: /,
  /^content is not a list$/,
  /does not contain declared merge key/,
  /^merging lists cannot yet be specified/,
  /^list element types are not identical/,
  /^no elements in any of the given slices/,
  /^cannot merge lists without merge key/,
  /^The order in patch list/,
  /^expected a .*, but received a /,
  /^\[?target\.(name|kind): /,
  /^conversion webhook for /,
  /^Internal error occurred: the (spec|status) replicas field .* does not exist$/,
];

function checkAnswer(answer: ApiResponse, what: () => string): void {
  if (answer.type === 'watch') {
    const ignore = () => {};
    answer.source.start({ begin: ignore, push: ignore, end: ignore });
    answer.source.stop();
    return;
  }
  if (answer.type === 'text') {
    if (answer.text !== '')
      expect(answer.text, what()).toMatch(/^(ok|404 page not found\n|\[\+\]ping|\{|service unavailable\n)/);
    return;
  }
  if (answer.type !== 'object') return;
  const text = JSON.stringify(answer.object);
  expect(typeof text, what()).toBe('string');
  if (answer.code < 400) return;
  const status = answer.object as Record<string, unknown>;
  expect(status, what()).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: answer.code });
  expect(typeof status.message, what()).toBe('string');
  if (answer.code < 500) return;
  const message = String(status.message as string);
  if (!knownServerErrors.some((known) => known.test(message)))
    throw new Error(`${answer.code} ${message} for ${what()}`);
}

/** Nothing that every object inherits may have changed. */
export function checkPrototypes(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.keys(Array.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}

export class Attacker {
  private readonly random: Random;
  private readonly server: TestServer;
  slowest = { milliseconds: 0, what: '' };
  readonly failures = new Map<string, string>();

  constructor(server: TestServer, seed: number) {
    this.server = server;
    this.random = seededRandom(seed);
  }

  chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  upTo(limit: number): number {
    return Math.floor(this.random.next() * limit);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.upTo(list.length)] as T;
  }

  /** Sends and checks. */
  async send(
    method: string,
    url: string,
    body?: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const what = () =>
      `${method} ${url.slice(0, 300)} ${JSON.stringify(headers)} ${Buffer.from(body ?? [])
        .toString('utf8')
        .slice(0, 1500)}`;
    const before = process.cpuUsage();
    const mark = url.indexOf('?');
    const answer = await this.server.server.handle({
      method,
      path: mark < 0 ? url : url.slice(0, mark),
      query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
      headers,
      user: admin,
      ...(body ? { body } : {}),
    });
    // CPU time, not wall time: the machine may have other work.
    const { user, system } = process.cpuUsage(before);
    const milliseconds = (user + system) / 1000;
    if (milliseconds > this.slowest.milliseconds) this.slowest = { milliseconds, what: what() };
    try {
      for (const error of this.server.errors.splice(0)) throw error;
      checkAnswer(answer, what);
    } catch (error) {
      this.blame(error as Error, what());
    }
    return answer;
  }

  report(): void {
    if (this.failures.size > 0) throw new Error(`\n${[...this.failures.values()].join('\n\n')}`);
  }

  /** One of each kind of failure is enough. */
  private blame(error: Error, what: string): void {
    const stack = (error.stack ?? '').split('\n');
    const frames = stack.filter((line) => line.includes('/src/') && !line.includes('bad-input.test')).slice(0, 2);
    const kind = frames.length > 0 ? [error.message.slice(0, 60), ...frames].join('\n') : error.message.slice(0, 100);
    if (!this.failures.has(kind))
      this.failures.set(kind, `${error.message.slice(0, 300)}\n${frames.join('\n')}\n  for ${what}`);
  }

  /** A value of any type. */
  anything(depth = 3): unknown {
    switch (this.upTo(depth > 0 ? 12 : 9)) {
      case 0:
        return null;
      case 1:
        return this.chance(0.5);
      case 2:
        return this.pick([0, 1, -1, 1.5, 1e308, 2 ** 31, 2 ** 53, -(2 ** 31) - 1, 65_536, 1e21]);
      case 3:
      case 4:
      case 5:
      case 6:
        return this.text();
      case 7:
        return [];
      case 8:
        return {};
      case 9:
        return Array.from({ length: this.upTo(4) }, () => this.anything(depth - 1));
      default:
        return Object.fromEntries(
          Array.from({ length: this.upTo(4) }, () => [this.pick(names), this.anything(depth - 1)]),
        );
    }
  }

  text(): string {
    return this.chance(0.1) ? this.pick(texts).repeat(1 + this.upTo(40)) : this.pick(texts);
  }

  /** The value with something in it changed. */
  mutate(value: unknown, changes = 1 + this.upTo(3)): unknown {
    const copy = JSON.parse(JSON.stringify(value)) as unknown;
    const root = { root: copy } as Record<string, unknown>;
    for (let i = 0; i < changes; i++) this.mutateOnce(root);
    return root.root;
  }

  private mutateOnce(root: Record<string, unknown>): void {
    let container: Record<string, unknown> | unknown[] = root;
    let key: string | number = 'root';
    for (let depth = 0; depth < 12; depth++) {
      const value = (container as Record<string, unknown>)[key];
      if (typeof value !== 'object' || value === null || this.chance(0.15)) break;
      const keys: string[] = Object.keys(value);
      if (keys.length === 0) break;
      container = value as Record<string, unknown>;
      key = this.pick(keys);
    }
    if (container === root) key = 'root';
    const target = container as Record<string, unknown>;
    switch (this.upTo(6)) {
      case 0:
        if (container !== root) delete target[key];
        break;
      case 1:
        define(target, container === root ? 'root' : this.pick(names), this.anything());
        break;
      case 2:
        if (Array.isArray(target[key])) (target[key] as unknown[]).push(this.anything(), (target[key] as unknown[])[0]);
        else target[key] = [target[key]];
        break;
      default:
        target[key] = this.anything();
    }
  }

  /** JSON, YAML or neither. */
  encode(value: unknown): { body: Uint8Array; type: string } {
    const json = JSON.stringify(value) ?? '';
    const type = this.chance(0.1) ? this.pick(mediaTypes) : 'application/json';
    if (this.chance(0.05)) return { type, body: Buffer.from(json.slice(0, this.upTo(json.length))) };
    const bytes = Buffer.from(json);
    if (this.chance(0.05) && bytes.length > 0) bytes[this.upTo(bytes.length)] = this.upTo(256);
    return { type: this.chance(0.05) ? 'application/yaml' : type, body: bytes };
  }

  query(): string {
    const count = this.chance(0.5) ? 0 : 1 + this.upTo(3);
    const pairs = Array.from({ length: count }, () => [
      this.pick(parameters),
      this.chance(0.5) ? this.pick(values) : this.text(),
    ]);
    return count === 0 ? '' : `?${new URLSearchParams(pairs as [string, string][]).toString()}`;
  }
}

export function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Words are separated by white space. */
function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

const names = [
  ...words(`
    name namespace metadata spec status kind apiVersion labels annotations finalizers ownerReferences
    managedFields uid resourceVersion generateName creationTimestamp deletionTimestamp
    deletionGracePeriodSeconds generation selfLink containers template selector matchLabels matchExpressions
    ports replicas data rules items type key operator values schema openAPIV3Schema properties versions
    x-kubernetes-validations rule pattern default __proto__ constructor prototype toString hasOwnProperty
    valueOf $patch $setElementOrder/containers $retainKeys a.b/c
  `),
  '',
  'ü',
  'x'.repeat(300),
];
const texts = [
  ...words(`
    a A x-y default kube-system .. . / ../../etc/passwd %2e%2e -1 0 1 9999999999999999999999 1e400 NaN true null
    {} [] <script> \${x} {{x}} 1Gi -1Gi 1.5e3m 100% 10.0.0.1 10.0.0.0/33 ::1 2026-03-01T00:00:00Z
    2026-13-45T99:99:99Z 0000-00-00 * http://x https://[:: a=b !a a==b,c!=d metadata.name=x v1 apps/v1 a/b/c/d
    __proto__ constructor [ self.x 1/0
  `),
  '',
  ' ',
  '\u0000',
  'a\nb',
  'a\tb',
  '\ud800',
  '\u{1f600}',
  'ü',
  '日本',
  "' or 1=1",
  '$(rm -rf)',
  '* * * * *',
  '@every 1s',
  'a in (b)',
  '(a+)+$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?=x)',
  '\\',
  'true || false',
  'self.map(x, x.map(y, y))',
  '"a".matches("(a*)*b")',
  'x'.repeat(260),
  'x'.repeat(70_000),
];
const mediaTypes = [
  ...words(`
    application/json application/yaml text/plain application/vnd.kubernetes.protobuf
    application/json;charset=utf-8 application/xml ; a/b/c
  `),
  '',
  'multipart/form-data; boundary=x',
];
export const patchTypes = words(`
    application/json-patch+json application/merge-patch+json application/strategic-merge-patch+json
    application/apply-patch+yaml application/apply-patch+cbor
`);
const parameters = words(`
    watch labelSelector fieldSelector limit continue resourceVersion resourceVersionMatch timeoutSeconds
    sendInitialEvents allowWatchBookmarks dryRun fieldManager fieldValidation force pretty propagationPolicy
    gracePeriodSeconds orphanDependents includeObject container follow __proto__
`);
const values = [
  ...words(`
    true false 1 0 -1 99999999999999999999 All Exact NotOlderThan Strict Warn Ignore Orphan Foreground a=b
    metadata.name=x spec.x=1 eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0 m None Object
  `),
  'a in (b,c)',
];
export const methods = [
  ...words(`
    GET POST PUT PATCH DELETE HEAD OPTIONS TRACE CONNECT get FOO
  `),
  '',
];
export const accepts = [
  ...words(`
    application/json */* application/yaml text/html application/json;as=Table;v=v1;g=meta.k8s.io
    application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io
    application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io application/json;as=Foo ;;;
    application/json;q=x application/vnd.kubernetes.protobuf a,b,c
  `),
  '',
];

/** Random objects that fit the schema of their kind. */
function compose(attacker: Attacker, schema: JsonSchema | undefined, depth: number): unknown {
  if (!schema) return {};
  if (schema.format === 'date-time') return '2026-03-01T00:00:00Z';
  if (schema.format === 'quantity') return attacker.pick(['0', '1', '500m', '2Gi']);
  if (schema.format === 'byte') return attacker.pick(['', 'YQ==']);
  if (schema.format === 'int-or-string') return attacker.pick<unknown>([0, 80, '50%', 'http']);
  switch (schema.type) {
    case 'string':
      return attacker.pick(['a', 'b-c', '10.0.0.1', 'x/y', ...((schema.enum as string[] | undefined) ?? [])]);
    case 'integer':
    case 'number':
      return attacker.pick([0, 1, 30, 8080]);
    case 'boolean':
      return attacker.chance(0.5);
    case 'array':
      return Array.from({ length: attacker.upTo(3) }, () => compose(attacker, schema.items as JsonSchema, depth - 1));
    default: {
      const result: Record<string, unknown> = {};
      if (depth <= 0) return result;
      for (const [name, property] of Object.entries(schema.properties ?? {}))
        if (attacker.chance(0.35)) result[name] = compose(attacker, property, depth - 1);
      if (typeof schema.additionalProperties === 'object')
        result.a = compose(attacker, schema.additionalProperties, depth - 1);
      return result;
    }
  }
}

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['w'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [
          { name: 'R', type: 'integer', jsonPath: '.spec.replicas' },
          { name: 'C', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        ],
        selectableFields: [{ jsonPath: '.spec.color' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['color'],
                properties: {
                  color: { type: 'string', pattern: '^[a-z]+$', maxLength: 20, enum: ['red', 'green'] },
                  replicas: { type: 'integer', minimum: 0, default: 1 },
                  when: { type: 'string', format: 'date-time' },
                  port: { 'x-kubernetes-int-or-string': true },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  embedded: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                  list: {
                    type: 'array',
                    maxItems: 10,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string', maxLength: 9 }, value: { type: 'string', nullable: true } },
                    },
                  },
                  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  map: { type: 'object', additionalProperties: { type: 'number' } },
                },
                'x-kubernetes-validations': [
                  { rule: '!has(self.replicas) || self.replicas < 100', message: 'too many' },
                  {
                    rule: '!has(oldSelf.color) || self.color == oldSelf.color',
                    messageExpression: "'no ' + self.color",
                  },
                ],
              },
              status: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer' },
                  selector: { type: 'string' },
                  conditions: {
                    type: 'array',
                    items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  },
                },
              },
            },
          },
        },
      },
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const widget = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name: 'x',
    namespace: 'default',
    labels: { a: 'b' },
    annotations: { c: 'd' },
    finalizers: [],
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }],
  },
  spec: {
    color: 'red',
    replicas: 2,
    when: '2026-03-01T00:00:00Z',
    port: 80,
    free: { a: [1] },
    embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
    list: [{ name: 'a', value: null }],
    set: ['s'],
    map: { m: 1 },
  },
  status: { replicas: 1 },
};

export interface Target {
  readonly collection: string;
  readonly item: string;
  readonly valid: (attacker: Attacker) => unknown;
}

export function targets(): Target[] {
  const builtin = builtinKinds.map((kind): Target => {
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    const root = kind.group === '' ? '/api/v1' : `/apis/${apiVersion}`;
    const collection = `${root}${kind.namespaced ? '/namespaces/default' : ''}/${kind.plural}`;
    const { metadata: _, apiVersion: __, kind: ___, ...properties } = (kind.schema as JsonSchema).properties ?? {};
    const schema = { ...(kind.schema as JsonSchema), properties };
    const meta = { name: 'x', labels: { a: 'b' }, annotations: {} };
    return {
      collection,
      item: `${collection}/x`,
      valid: (attacker) => ({
        apiVersion,
        kind: kind.kind,
        metadata: meta,
        ...(compose(attacker, schema, 7) as object),
      }),
    };
  });
  const base = '/apis/example.com/v1/namespaces/default/widgets';
  const custom: Target = { collection: base, item: `${base}/x`, valid: () => widget };
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const definition: Target = { collection: definitions, item: `${definitions}/widgets.example.com`, valid: () => crd };
  return [...builtin, ...Array.from({ length: 12 }, () => custom), ...Array.from({ length: 8 }, () => definition)];
}

export async function prepared(): Promise<TestServer> {
  const server = await TestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
  await server.ok('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
  await settle();
  await server.ok('POST', '/apis/example.com/v1/namespaces/default/widgets', widget);
  return server;
}
