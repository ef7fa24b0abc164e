import { objectsIn } from '../registry-client.ts';
import { storeErrors } from '../store-error.ts';

/** The part of an image's configuration that decides how its containers run. Absent fields are empty. */
export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  /** `user`, `user:group`, by name or by id. Empty: root. */
  readonly user: string;
  readonly workingDir: string;
  /** Paths that hold data: each container gets an empty folder there, unless the Pod mounts one. */
  readonly volumes: readonly string[];
  /** The signal that asks a container to stop, such as `SIGQUIT`. Empty: SIGTERM. */
  readonly stopSignal: string;
  /** `8080/tcp` */
  readonly exposedPorts: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** The configuration document of an image: how it runs, where it runs, and the digests of its unpacked layers, lowest first. */
export interface ImageDocument {
  readonly config: ImageConfig;
  readonly os: string;
  readonly architecture: string;
  readonly variant: string;
  readonly created: string;
  readonly diffIds: readonly string[];
}

const maxWords = 10_000;
const digestForm = /^sha256:[0-9a-f]{64}$/;

/** Reads the configuration document of an image. Fields of the wrong type count as absent, as container tools read them. */
export function parseImageDocument(text: string): ImageDocument {
  const document = parseObject(text);
  const config = asObject(document['config']);
  const rootfs = asObject(document['rootfs']);
  const diffIds = stringsIn(rootfs['diff_ids']);
  const wrong = diffIds.find((each) => !digestForm.test(each));
  if (wrong !== undefined)
    throw new storeErrors.Error('INVALID_IMAGE', `the image names the layer ${JSON.stringify(wrong.slice(0, 100))}`);
  return {
    config: {
      entrypoint: stringsIn(config['Entrypoint']),
      cmd: stringsIn(config['Cmd']),
      env: environmentIn(stringsIn(config['Env'])),
      user: textIn(config['User']),
      workingDir: textIn(config['WorkingDir']),
      volumes: Object.keys(asObject(config['Volumes'])),
      stopSignal: textIn(config['StopSignal']),
      exposedPorts: Object.keys(asObject(config['ExposedPorts'])),
      labels: labelsIn(asObject(config['Labels'])),
    },
    os: textIn(document['os']),
    architecture: textIn(document['architecture']),
    variant: textIn(document['variant']),
    created: textIn(document['created']),
    diffIds,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(text));
  } catch (cause) {
    throw new storeErrors.Error('INVALID_IMAGE', 'the configuration of the image is not JSON', { cause });
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return (objectsIn<Readonly<Record<string, unknown>>>([value])[0] ?? {}) as Readonly<Record<string, unknown>>;
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

function stringsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxWords).filter((each): each is string => typeof each === 'string');
}

function environmentIn(lines: readonly string[]): ReadonlyMap<string, string> {
  const env = new Map<string, string>();
  for (const line of lines) {
    const equals = line.indexOf('=');
    if (equals > 0) env.set(line.slice(0, equals), line.slice(equals + 1));
  }
  return env;
}

function labelsIn(labels: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
