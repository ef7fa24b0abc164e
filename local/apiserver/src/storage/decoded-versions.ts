/** A version that is held decoded. */
interface Decoded {
  /** Of its JSON. */
  readonly length: number;
  forgetObject(): void;
}

/**
 * The latest versions that were written or read as objects. All durable stores of the process share it; it is bounded by the length
 * of their JSON, of which an object takes about three times as much.
 */
class DecodedVersions {
  private readonly maxLength: number;
  private versions: Decoded[] = [];
  private oldest = 0;
  private length = 0;

  constructor(maxLength: number) {
    this.maxLength = maxLength;
  }

  add(version: Decoded): void {
    this.versions.push(version);
    this.length += version.length;
    while (this.length > this.maxLength && this.oldest < this.versions.length - 1) {
      const { oldest } = this;
      const forgotten = this.versions[oldest] as Decoded;
      this.oldest++;
      this.length -= forgotten.length;
      forgotten.forgetObject();
    }
    if (this.oldest > maxForgotten) {
      this.versions = this.versions.slice(this.oldest);
      this.oldest = 0;
    }
  }
}

const maxForgotten = 1024;

export const decodedVersions: DecodedVersions = new DecodedVersions(4 * 1024 * 1024);
