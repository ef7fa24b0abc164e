import type { LogMatch, LogRow } from './log-document.ts';

/** From the page to the worker. */
export type LogRequest =
  | { readonly type: 'open' | 'clear' | 'end'; readonly section: string }
  | { readonly type: 'append'; readonly section: string; readonly bytes: Uint8Array }
  | { readonly type: 'fold'; readonly section: string; readonly isFolded: boolean }
  | { readonly type: 'order'; readonly sections: readonly string[] }
  | { readonly type: 'wrap'; readonly columns: number }
  | { readonly type: 'window'; readonly first: number; readonly last: number }
  | { readonly type: 'search'; readonly pattern: string; readonly isCaseSensitive: boolean }
  | { readonly type: 'locate'; readonly section: string; readonly line: number }
  | { readonly type: 'text'; readonly withTimes: boolean };

/** From the worker to the page. */
export type LogReply =
  | {
      readonly type: 'rows';
      readonly first: number;
      readonly rows: readonly LogRow[];
      readonly count: number;
      readonly lines: number;
    }
  | { readonly type: 'matches'; readonly matches: readonly LogMatch[]; readonly total: number; readonly error?: string }
  | { readonly type: 'located'; readonly row: number | undefined }
  | { readonly type: 'text'; readonly parts: readonly string[] };
