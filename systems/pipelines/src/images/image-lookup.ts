import type { TaskRun } from '../kinds/task-run.ts';
import type { TaskSpec } from '../kinds/task-spec.ts';
import { commandKey, type ImageCommands, needsImageCommand } from '../pod/image-commands.ts';
import { mergeStepTemplate } from '../pod/merge-step-template.ts';
import { type ImageReference, type Login, parseImageReference, RegistryClient } from '@tektite/oci';
import { type CredentialPlace, loginFor } from '../resolution/bundles/registry-credentials.ts';
import { ImageCommandCache } from './image-command-cache.ts';
import { findImageCommands } from './find-image-commands.ts';

/** The command of an image that is known without its registry; with arguments of the step, without the image's own. */
export type KnownCommand = (image: string, hasArguments: boolean) => readonly string[] | undefined;

/** The command of an image that the machine has, as far as that is the one which its name means now. */
export type StoredCommand = (image: string, hasArguments: boolean) => Promise<readonly string[] | undefined>;

/**
 * The commands of images, asked of their registries unless they are known, or the machine has the image. Names without a tag mean
 * another image each day: for these the image of the machine counts only where the registry gives no answer. Answers by digest are cached.
 */
export class ImageLookup {
  private readonly cache = new ImageCommandCache();
  private readonly known: KnownCommand;
  private readonly stored: StoredCommand;
  private readonly authorities: () => string;

  /** Registries are checked against these certificate authorities, too, PEM. */
  constructor(
    known: KnownCommand = () => undefined,
    stored: StoredCommand = async () => undefined,
    authorities: () => string = () => '',
  ) {
    this.known = known;
    this.stored = stored;
    this.authorities = authorities;
  }

  /** For all steps of a Task that say nothing themselves. Throws what the registry says, or that there is none. */
  async lookUp(task: TaskSpec, taskRun: TaskRun, place: CredentialPlace): Promise<ReadonlyMap<string, ImageCommands>> {
    const found = new Map<string, ImageCommands>();
    for (const each of task.steps ?? []) {
      const step = mergeStepTemplate(task.stepTemplate, each);
      const key = commandKey(step);
      if (!needsImageCommand(step) || found.has(key)) continue;
      const hasArguments = (step.args ?? []).length > 0;
      const command = this.known(step.image ?? '', hasArguments);
      found.set(
        key,
        command
          ? onAllPlatforms(step.image ?? '', command)
          : await this.find(step.image ?? '', hasArguments, taskRun, place),
      );
    }
    return found;
  }

  private async find(
    image: string,
    hasArguments: boolean,
    taskRun: TaskRun,
    place: CredentialPlace,
  ): Promise<ImageCommands> {
    const reference = parseImageReference(image);
    const stored = async () => {
      const command = await this.stored(image, hasArguments);
      return command && onAllPlatforms(image, command);
    };
    const isFixed = reference.isDigest || reference.reference !== 'latest';
    const local = isFixed ? await stored() : undefined;
    if (local) return local;
    try {
      return await this.ask(reference, hasArguments, taskRun, place);
    } catch (error) {
      const fallback = isFixed ? undefined : await stored();
      if (fallback) return fallback;
      throw error;
    }
  }

  private async ask(
    image: ImageReference,
    hasArguments: boolean,
    taskRun: TaskRun,
    place: CredentialPlace,
  ): Promise<ImageCommands> {
    const name = (digest: string) => `${image.registry}/${image.repository}@${digest}`;
    const known = image.isDigest ? this.cache.get(name(image.reference), hasArguments) : undefined;
    if (known) return known;
    const client = new RegistryClient(image, await login(image, taskRun, place), place.signal, {
      authorities: this.authorities(),
    });
    const first = await client.describe();
    const cached = this.cache.get(name(first.digest), hasArguments);
    if (cached) return cached;
    const found = { image: name(first.digest), commands: await findImageCommands(first.value, client, hasArguments) };
    this.cache.put(found.image, hasArguments, found);
    return found;
  }
}

function onAllPlatforms(image: string, command: readonly string[]): ImageCommands {
  return { image, commands: { 'linux/amd64': command, 'linux/arm64': command } };
}

/** From the secrets of the Pod template, then those of the service account. */
async function login(
  image: ImageReference,
  { metadata, spec }: TaskRun,
  place: CredentialPlace,
): Promise<Login | undefined> {
  const whose = { namespace: metadata.namespace ?? '', serviceAccount: spec.serviceAccountName || 'default' };
  for (const { name: secret = '' } of spec.podTemplate?.imagePullSecrets ?? []) {
    const found = await loginFor(image, { ...whose, secret }, place);
    if (found) return found;
  }
  return loginFor(image, { ...whose, secret: '' }, place);
}
