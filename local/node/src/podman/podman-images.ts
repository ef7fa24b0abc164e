import { ContainerStartError } from '../runtime/container-start-error.ts';
import type { ImagePullPolicy } from '../runtime/pod-runtime.ts';
import type { Podman } from './podman.ts';

export interface FoundImage {
  readonly id: string;
  /** Who the image's programs run as, as the image writes it. */
  readonly user: string;
}

/** Finds images, and fetches those that are missing, as their policy says. */
export class PodmanImages {
  private readonly podman: Podman;

  constructor(podman: Podman) {
    this.podman = podman;
  }

  async find(image: string): Promise<FoundImage | undefined> {
    const { code, stdout } = await this.podman.run(
      'image',
      'inspect',
      '--format={{.Id}}|{{.Config.User}}',
      '--',
      image,
    );
    if (code !== 0) return undefined;
    const [id = '', user = ''] = stdout.trim().split('|');
    return { id, user };
  }

  /** Rejects with the reasons that a kubelet gives. */
  async ensure(image: string, policy: ImagePullPolicy): Promise<FoundImage> {
    const present = await this.find(image);
    if (present && policy !== 'Always') return present;
    if (policy === 'Never')
      throw new ContainerStartError(
        'ErrImageNeverPull',
        `Container image ${JSON.stringify(image)} is not present with pull policy of Never`,
      );
    const { code, stderr } = await this.podman.run('pull', '--quiet', '--', image);
    const pulled = await this.find(image);
    // A registry that cannot be reached is no reason to do without what is there.
    if (pulled && (code === 0 || present)) return pulled;
    throw new ContainerStartError(
      'ErrImagePull',
      `failed to pull image ${JSON.stringify(image)}: ${stderr.trim().split('\n').at(-1) ?? ''}`,
    );
  }
}
