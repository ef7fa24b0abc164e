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

/** The commands of images, asked of their registries unless they are known. Answers by digest are cached. */
export class ImageLookup {
  private readonly cache = new ImageCommandCache();
  private readonly known: KnownCommand;

  constructor(known: KnownCommand = () => undefined) {
    this.known = known;
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
      if (command) {
        found.set(key, { image: step.image ?? '', commands: { 'linux/amd64': command, 'linux/arm64': command } });
        continue;
      }
      found.set(key, await this.ask(parseImageReference(step.image ?? ''), hasArguments, taskRun, place));
    }
    return found;
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
    const client = new RegistryClient(image, await login(image, taskRun, place), place.signal);
    const first = await client.describe();
    const cached = this.cache.get(name(first.digest), hasArguments);
    if (cached) return cached;
    const found = { image: name(first.digest), commands: await findImageCommands(first.value, client, hasArguments) };
    this.cache.put(found.image, hasArguments, found);
    return found;
  }
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
