/** Lines of a stream of bytes in UTF-8. A character or a line may be spread over several chunks. */
export class LineDecoder {
  private readonly decoder = new TextDecoder();
  private rest = '';

  /** The lines that a chunk completes. */
  decode(bytes: Uint8Array): readonly string[] {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n');
    this.rest = lines.pop() ?? '';
    return lines;
  }
}
