import { shellReplacement } from '@tektite/cluster';
import type { KubeObject } from '@tektite/meta';
import { findImage, type ImageMapping } from '@tektite/node';
import { type Check, missing, ok, warning } from './check.ts';
import { findProgram, programVersion } from './find-program.ts';
import { imageProgram, isVersion, type WantedStep, wantedSteps } from './wanted-programs.ts';

/** The facts that decide how the steps of a file would run. */
export interface FileCheckOptions {
  readonly runtime: 'auto' | 'images' | 'host';
  /** Images mapped to this machine. */
  readonly images?: ImageMapping;
  /** Whether an image is in the image store. */
  readonly isStored: (image: string) => Promise<boolean>;
  /** Whether registries may be reached at all. */
  readonly hasNetwork: boolean;
}

/** Checks the images and programs that a file wants: images have to be in the store or be pulled, or programs of this machine stand for them. */
export async function checkFile(objects: readonly KubeObject[], options: FileCheckOptions): Promise<readonly Check[]> {
  const steps = wantedSteps(objects);
  if (steps.length === 0) return [ok('steps', 'the file has no embedded steps')];
  const names = [...new Set(steps.map(({ image }) => image))];
  const usersOf = (image: string) => steps.filter((step) => step.image === image);
  const checks = await Promise.all(names.map((image) => checkImage(image, usersOf(image), options)));
  return checks.flat();
}

async function checkImage(
  image: string,
  users: readonly WantedStep[],
  { runtime, images = {}, isStored, hasNetwork }: FileCheckOptions,
): Promise<readonly Check[]> {
  const name = `image ${image || '(none)'}`;
  const used = `used by ${users.map((user) => user.name).join(', ')}`;
  const { root, entrypoint } = findImage(images, image);
  // Programs of another root are not this machine's; an entrypoint is chosen by the user.
  if (root !== undefined || entrypoint !== undefined) return [ok(name, 'mapped by --images')];
  const onMachine = async (why: string) => [ok(name, `${used}; ${why}`), ...(await checkPrograms(image, users))];
  if (runtime === 'host') return onMachine('its steps run with the programs of this machine');
  if (await isStored(image)) return [ok(name, `${used}; in the image store`)];
  if (hasNetwork) return [ok(name, `${used}; pulled when it runs`)];
  const programs = runtime === 'auto' ? shellReplacement(image) : undefined;
  if (programs !== undefined) return onMachine(`without a network it is replaced by ${programs}`);
  return [
    missing(
      name,
      `${used}; not in the image store, and there is no network`,
      `Bring it with \`tektite image load\`, map it with --images FILE, or use the programs of this machine with --runtime host.`,
    ),
  ];
}

async function checkPrograms(image: string, users: readonly WantedStep[]): Promise<readonly Check[]> {
  const wanted = imageProgram(image);
  const programs = new Set([...(wanted ? [wanted.program] : []), ...users.flatMap((user) => user.programs)]);
  return Promise.all(
    [...programs].map((program) =>
      checkProgram(program, wanted?.program === program ? wanted.version : undefined, stepsFor(program, users)),
    ),
  );
}

function stepsFor(program: string, users: readonly WantedStep[]): string {
  const own = users.filter(({ programs }) => programs.includes(program));
  return (own.length > 0 ? own : users).map(({ name }) => name).join(', ');
}

async function checkProgram(program: string, version: string | undefined, steps: string): Promise<Check> {
  const name = `program ${program}`;
  const file = findProgram(program);
  if (file === undefined) return missing(name, `not found; ${steps} wants it`, remedyFor(program));
  if (version === undefined) return ok(name, file);
  const has = await programVersion(program, file);
  if (has === undefined || isVersion(has, version)) return ok(name, has === undefined ? file : `${has} at ${file}`);
  return warning(
    name,
    `${has} at ${file}; the image of ${steps} has ${version}`,
    `Install ${program} ${version}, run the image with --runtime images, or map it with --images FILE.`,
  );
}

/** A path is where an image has its program; no package installs it there. */
function remedyFor(program: string): string {
  if (program.includes('/')) return 'Run the image with --runtime images, or map it with --images FILE.';
  return `Install it (Debian and Ubuntu: apt-get install ${packageOf(program)}), run the image with --runtime images, or map it with --images FILE.`;
}

const packages: Readonly<Record<string, string>> = {
  cargo: 'cargo',
  docker: 'docker.io',
  go: 'golang-go',
  java: 'default-jdk',
  mvn: 'maven',
  node: 'nodejs',
  python3: 'python3',
};

const packageOf = (program: string) => packages[program] ?? program;
