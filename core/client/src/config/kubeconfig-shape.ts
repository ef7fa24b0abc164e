type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isMapping: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const mappingOf =
  (check: Check): Check =>
  (value) =>
    isMapping(value) && Object.values(value as object).every(check);
const fields =
  (shape: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isMapping(value) && wrongField(value as object, shape) === undefined;

const texts = (...names: readonly string[]): Record<string, Check> =>
  Object.fromEntries(names.map((name) => [name, isText]));

const exec = fields({
  ...texts('apiVersion', 'command', 'installHint', 'interactiveMode'),
  args: listOf(isText),
  env: listOf(fields(texts('name', 'value'))),
  provideClusterInfo: isFlag,
});

/** The fields that a client reads, and their types. Fields that it does not know are not checked. */
const shapes: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  cluster: {
    ...texts('server', 'tls-server-name', 'certificate-authority', 'certificate-authority-data', 'proxy-url'),
    'insecure-skip-tls-verify': isFlag,
    extensions: listOf(isMapping),
  },
  user: {
    ...texts('client-certificate', 'client-certificate-data', 'client-key', 'client-key-data', 'token', 'tokenFile'),
    ...texts('username', 'password', 'as', 'as-uid'),
    'as-groups': listOf(isText),
    'as-user-extra': mappingOf(listOf(isText)),
    exec,
    'auth-provider': isMapping,
  },
  context: texts('cluster', 'user', 'namespace'),
};

/** The first field of a cluster, user or context whose value has another type than it must. Null is as good as absent. */
export function wrongKubeconfigField(part: string, value: object): string | undefined {
  return wrongField(value, shapes[part] ?? {});
}

function wrongField(value: object, shape: Readonly<Record<string, Check>>): string | undefined {
  for (const [name, field] of Object.entries(value)) {
    const check = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field !== null && field !== undefined && check && !check(field)) return name;
  }
  return undefined;
}
