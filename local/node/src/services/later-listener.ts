import type { ServiceListener } from './service-listener.ts';

/** A listener that begins when another one has freed its port. */
export class LaterListener implements ServiceListener {
  private readonly begun: Promise<ServiceListener | undefined>;
  private listener: ServiceListener | undefined;
  private closed = false;

  constructor(freed: Promise<void>, begin: () => ServiceListener) {
    this.begun = freed.then(() => {
      if (this.closed) return undefined;
      this.listener = begin();
      this.listener.refresh();
      return this.listener;
    });
  }

  refresh(): void {
    this.listener?.refresh();
  }

  async close(): Promise<void> {
    this.closed = true;
    await (await this.begun)?.close();
  }
}
