import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, httpTransport, loadConfig } from '@tektite/client';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findProgram } from '../../doctor/find-program.ts';
import { repository, type RunningCommand, Scratch } from '../../test-support.ts';

const artifacts = join(repository, '.artifacts/browser');

const pipelinesOnHost = ['--systems', 'pipelines', '--runtime', 'host'];

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** `tektite up` with real runs, and a browser that is logged in to its page. */
export class BrowserSession implements AsyncDisposable {
  readonly scratch: Scratch;
  readonly browser: Browser;
  context: BrowserContext;
  page: Page;
  client: Client;
  /** Texts of the console and errors of scripts that are no expected denial. */
  readonly problems: string[] = [];
  private running: RunningCommand & { readonly kubeconfig: string };
  private url = '';

  static async start(args: readonly string[] = pipelinesOnHost): Promise<BrowserSession> {
    const scratch = new Scratch();
    const running = await scratch.up(...args);
    const browser = await chromium.launch({
      executablePath: findProgram('chromium') ?? '/usr/bin/chromium',
      args: ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const client = await clientOf(running.kubeconfig);
    const session = new BrowserSession(scratch, running, browser, context, await context.newPage(), client);
    session.watch(session.page);
    try {
      await session.page.goto(session.link());
      await session.page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
      return session;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(
    scratch: Scratch,
    running: RunningCommand & { readonly kubeconfig: string },
    browser: Browser,
    context: BrowserContext,
    page: Page,
    client: Client,
  ) {
    this.scratch = scratch;
    this.running = running;
    this.browser = browser;
    this.context = context;
    this.page = page;
    this.client = client;
    this.url = this.link().replace(/\/#.*/, '');
  }

  /** A page of another browser: without the session. Its context is closed by the caller. */
  async otherPage(): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    this.watch(page);
    return page;
  }

  /** A client that acts as another user. The caller closes it. */
  async clientOf(impersonate: { readonly user: string; readonly groups: readonly string[] }): Promise<Client> {
    return new Client(httpTransport({ ...(await loadConfig({ kubeconfig: this.kubeconfig })), impersonate }));
  }

  get kubeconfig(): string {
    return this.running.kubeconfig;
  }

  /** The link that the command printed. */
  link(): string {
    return /http:\S+#code=\S+/.exec(this.running.output)?.[0] ?? '';
  }

  go(path: string): Promise<unknown> {
    return this.page.goto(`${this.url}${path}`);
  }

  /** Stops the control plane; the result starts it again at the same address. */
  async stop(): Promise<() => Promise<void>> {
    await this.running.stop();
    await this.client.close();
    const { port } = new URL(this.url);
    return async () => {
      this.running = await this.scratch.up(...pipelinesOnHost, '--dashboard-port', port);
      this.client = await clientOf(this.running.kubeconfig);
    };
  }

  /** Serious findings of axe about the page as it is. */
  async axe(page = this.page): Promise<readonly string[]> {
    if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
    const findings = await page.evaluate<readonly Finding[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
    );
    return findings
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  }

  /**
   * Screenshots of a place at all widths, light and dark, and what axe finds there. Nothing may be wider than the window. An empty
   * place is the one where the page is.
   */
  async survey(name: string, place: string, ready: string, page = this.page): Promise<readonly string[]> {
    await page.setViewportSize({ width: 1280, height: 900 });
    if (place !== '') await page.goto(`${this.url}${place}`);
    await page.locator(ready).first().waitFor();
    return this.surveyHere(name, page);
  }

  /** The same of the page as it is. */
  async surveyHere(name: string, page = this.page): Promise<readonly string[]> {
    const found: string[] = [];
    for (const width of [360, 1920, 1280]) {
      await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        await this.screenshot(`${name}-${colorScheme}-${width}`, page);
        // Widths differ in what they hide, colours in their contrast: one of the dark ones will do.
        if (width === 1280 || (width === 360 && colorScheme === 'light'))
          found.push(...(await this.axe(page)).map((each) => `${name} at ${width}, ${colorScheme}: ${each}`));
      }
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (wide > width) found.push(`${name}: ${wide} px wide at ${width}`);
    }
    return found;
  }

  async screenshot(name: string, page = this.page): Promise<void> {
    mkdirSync(artifacts, { recursive: true });
    await page.screenshot({ path: join(artifacts, `${name}.png`) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.client.close();
    await this.running.stop();
    this.scratch[Symbol.dispose]();
  }

  private watch(page: Page): void {
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('dialog', (dialog) => {
      this.problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('console', (message) => {
      const isNetwork = /Failed to load resource|WebSocket connection/.test(message.text());
      if (message.type() === 'error' && !isNetwork) this.problems.push(message.text());
    });
  }
}

async function clientOf(kubeconfig: string): Promise<Client> {
  return new Client(httpTransport(await loadConfig({ kubeconfig })));
}
