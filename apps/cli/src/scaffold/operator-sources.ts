import type { OperatorNames } from './operator-names.ts';

/** The source of an operator: small enough to read in a minute, complete enough to run. */
export function operatorSources(names: OperatorNames): ReadonlyMap<string, string> {
  return new Map([
    [`src/${names.file}.ts`, kindSource(names)],
    ['src/decide.ts', decideSource(names)],
    ['src/controller.ts', controllerSource(names)],
    ['src/index.ts', indexSource(names)],
    ['src/operator.test.ts', testSource(names)],
  ]);
}

function kindSource({ group, version, kind }: OperatorNames): string {
  return `import { defineKind, type ObjectOf, s } from '@tektite/schema';

const condition = s.object({
  type: s.string(),
  status: s.enum('True', 'False', 'Unknown'),
  reason: s.string().optional(),
  message: s.string().optional(),
  lastTransitionTime: s.time().optional(),
  observedGeneration: s.integer().optional(),
});

/** From this value come the type, the CustomResourceDefinition, defaults and validation. */
export const ${kind} = defineKind({
  group: '${group}',
  version: '${version}',
  kind: '${kind}',
  description: 'Say here what a ${kind} is',
  fields: {
    spec: s.object({
      message: s.string({ maxLength: 1000 }).default('hello').describe('What the ConfigMap says'),
    }),
    status: s.object({ conditions: s.list(condition, { keys: ['type'] }).optional() }).optional(),
  },
  columns: [
    { name: 'Message', type: 'string', jsonPath: '.spec.message' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type ${kind} = ObjectOf<typeof ${kind}>;
`;
}

function decideSource({ kind, variable, file, system }: OperatorNames): string {
  return `import type { Configuration } from '@tektite/client';
import { type Condition, controllerReference, setCondition } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import type { ${kind} } from './${file}.ts';

/** The ConfigMap that a ${kind} wants. It says what it has an opinion on, and nothing else. */
export function configMapFor(${variable}: ${kind}): Configuration<ConfigMap> {
  const { name = '', namespace = '' } = ${variable}.metadata;
  const labels = { 'app.kubernetes.io/managed-by': '${system}' };
  return {
    metadata: { name, namespace, labels, ownerReferences: [controllerReference(${variable})] },
    data: { message: ${variable}.spec.message },
  };
}

/** The status of a ${kind}, given the observed ConfigMap. */
export function statusFor(
  ${variable}: ${kind},
  configMap: ConfigMap | undefined,
  now: string,
): NonNullable<${kind}['status']> {
  const ready = configMap?.data?.['message'] === ${variable}.spec.message;
  const condition: Condition = {
    type: 'Ready',
    status: ready ? 'True' : 'False',
    reason: ready ? 'UpToDate' : 'Writing',
    message: ready ? 'the ConfigMap says it' : 'the ConfigMap does not say it yet',
    observedGeneration: ${variable}.metadata.generation ?? 0,
  };
  return { conditions: setCondition(${variable}.status?.conditions ?? [], condition, now) };
}
`;
}

function controllerSource({ kind, variable, file, system }: OperatorNames): string {
  return `import { kinds } from '@tektite/client';
import { defineController, owned } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import { configMapFor, statusFor } from './decide.ts';
import { ${kind} } from './${file}.ts';

/** Owned objects: a change of one reconciles its owner, and a cache of them is kept. */
const configMaps = owned(kinds.ConfigMap, { labelSelector: 'app.kubernetes.io/managed-by=${system}' });

export const ${variable}Controller = defineController({
  name: '${system}',
  kind: ${kind},
  sources: [configMaps],
  async reconcile(${variable}, { client, cache, clock, event, writeStatus }) {
    const [found] = cache(configMaps).ownedBy(${variable});
    if (!found) event({ reason: 'Creating', message: 'the ConfigMap' });
    await client.apply(kinds.ConfigMap, configMapFor(${variable}), { fieldManager: '${system}', force: true });
    await writeStatus(${variable}, statusFor(${variable}, found, formatTime(clock.now())));
  },
});
`;
}

function indexSource({ kind, variable, file, system }: OperatorNames): string {
  return `import type { System } from '@tektite/controller';
import { ${variable}Controller } from './controller.ts';
import { ${kind} } from './${file}.ts';

export { ${kind} };

/** The operator. \`tektite up --systems .\` and \`tektite controller --systems .\` import this name. */
export const system: System = {
  name: '${system}',
  kinds: [${kind}],
  controllers: [${variable}Controller],
  // Permissions beyond those for the watched kinds; \`tektite rbac\` generates roles from them.
  permissions: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }],
};
`;
}

function testSource({ group, version, kind, variable }: OperatorNames): string {
  return `import { kinds, typedClient } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import { isConditionTrue } from '@tektite/meta';
${from('@tektite/testkit', 'type ControlPlane, startControlPlane')}
${from('vitest', 'afterAll, beforeAll, describe, expect, it')}
import { configMapFor, statusFor } from './decide.ts';
import { ${kind}, system } from './index.ts';

const namespace = 'default';

describe('what is decided', () => {
  const ${variable} = {
    apiVersion: '${group}/${version}',
    kind: '${kind}' as const,
    metadata: { namespace, name: 'a', uid: '1', generation: 1 },
    spec: { message: 'hi' },
  };

  it('is a ConfigMap with the message, owned by the ${kind}', () => {
    expect(configMapFor(${variable})).toMatchObject({
      metadata: { name: 'a', ownerReferences: [{ uid: '1', controller: true }] },
      data: { message: 'hi' },
    });
  });

  it('is not ready before the ConfigMap says it', () => {
    const [condition] = statusFor(${variable}, undefined, '2030-01-01T00:00:00Z').conditions ?? [];
    expect(condition).toMatchObject({ type: 'Ready', status: 'False' });
  });
});

describe('the operator', () => {
  let plane: ControlPlane;
  let running: RunningSystems;

  beforeAll(async () => {
    plane = await startControlPlane();
    running = await startSystems([system], { client: plane.client });
  });
  afterAll(async () => {
    await running.stop();
    await plane.close();
  });

  it('writes the ConfigMap, says so, and mends it', async () => {
    const objects = typedClient(plane.client, ${kind}, namespace);
    const configMaps = typedClient(plane.client, kinds.ConfigMap, namespace);
    await objects.create({ metadata: { name: 'first' }, spec: { message: 'hello' } });
    const ready = async () => isConditionTrue((await objects.get('first')).status?.conditions, 'Ready');
    await expect.poll(ready).toBe(true);
    await configMaps.apply({ metadata: { name: 'first' }, data: { message: 'changed' } }, { force: true });
    await expect.poll(async () => (await configMaps.get('first')).data).toEqual({ message: 'hello' });
  });
});
`;
}

/** An import of a package that this one has no business with: here it is only text. */
function from(name: string, what: string): string {
  return `import { ${what} } from '${name}';`;
}
