/** Lets those who want the same key go one after the other. */
export class KeyTurns {
  private readonly last = new Map<string, Promise<void>>();

  /** Resolves when it is the caller's turn, which lasts until what it gets is disposed. */
  async take(key: string): Promise<Disposable> {
    const before = this.last.get(key);
    let end = () => {};
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.last.set(key, turn);
    await before;
    return {
      [Symbol.dispose]: () => {
        if (this.last.get(key) === turn) this.last.delete(key);
        end();
      },
    };
  }
}
