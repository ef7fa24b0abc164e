import { LogDocument, type LogMatches } from './log-document.ts';
import type { LogReply, LogRequest } from './log-messages.ts';

/**
 * Answers the page about one document. Rows of the visible window are sent again when the document changed, once for each call of
 * `schedule`, however many chunks came. A search goes on with lines that come later.
 */
export class LogSession {
  private readonly document = new LogDocument();
  private readonly send: (reply: LogReply) => void;
  private readonly schedule: (flush: () => void) => void;
  private window = { first: 0, last: 0 };
  private isScheduled = false;
  private isSearching = false;
  private searchedLines = 0;
  private total = 0;

  constructor(send: (reply: LogReply) => void, schedule: (flush: () => void) => void) {
    this.send = send;
    this.schedule = schedule;
  }

  receive(request: LogRequest): void {
    const { document } = this;
    switch (request.type) {
      case 'search':
        return this.search(request.pattern, request.isCaseSensitive);
      case 'locate':
        return this.send({ type: 'located', row: document.rowOfLine(request.section, request.line) });
      case 'text':
        return this.send({ type: 'text', parts: [...document.texts(request.withTimes)] });
      case 'window':
        this.window = { first: request.first, last: request.last };
        return this.sendRows();
      case 'append':
        document.append(request.section, request.bytes);
        break;
      case 'fold':
        document.fold(request.section, request.isFolded);
        break;
      case 'order':
        document.order(request.sections);
        break;
      case 'wrap':
        document.wrap(request.columns);
        break;
      default:
        document[request.type](request.section);
    }
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.schedule(() => this.sendRows());
  }

  private sendRows(): void {
    this.isScheduled = false;
    const { first, last } = this.window;
    const { rowCount: count, lineCount: lines } = this.document;
    this.send({ type: 'rows', first, rows: this.document.rows(first, last), count, lines });
    if (!this.isSearching || lines === this.searchedLines) return;
    this.searchedLines = lines;
    const found = this.document.found();
    if (found.total !== this.total) this.sendMatches(found);
  }

  private sendMatches(found: LogMatches): void {
    this.total = found.total;
    this.send({ type: 'matches', ...found });
  }

  private search(pattern: string, isCaseSensitive: boolean): void {
    this.isSearching = false;
    try {
      const expression = pattern === '' ? undefined : new RegExp(pattern, isCaseSensitive ? 'u' : 'iu');
      this.sendMatches(this.document.search(expression));
      this.isSearching = expression !== undefined;
      this.searchedLines = this.document.lineCount;
    } catch (error) {
      this.send({ type: 'matches', matches: [], total: 0, error: (error as Error).message });
    }
  }
}
