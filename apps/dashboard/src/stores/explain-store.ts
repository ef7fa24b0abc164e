import { signal } from '@preact/signals-core';
import type { Explanation } from '../api/explanation.ts';

/** A route of the page's own server. */
interface RouteApi {
  request<T>(path: string): Promise<T>;
}

/** The recent reconciles of an object, newest first. */
export class ExplainStore {
  readonly records = signal<readonly Explanation[] | undefined>(undefined);
  readonly error = signal<string | undefined>(undefined);
  private readonly api: RouteApi;

  constructor(api: RouteApi) {
    this.api = api;
  }

  async load(path: string): Promise<void> {
    try {
      const route = `/api/explain?path=${encodeURIComponent(path)}`;
      const { records } = await this.api.request<{ records: readonly Explanation[] }>(route);
      this.records.value = records.toReversed();
      this.error.value = undefined;
    } catch (error) {
      this.error.value = (error as Error).message;
    }
  }
}
