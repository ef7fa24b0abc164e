import { lazy } from './lazy.tsx';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import { LoginPage } from '../pages/login-page.tsx';
import { isTyping, RunsPage } from '../pages/runs-page.tsx';
import { Link } from './link.tsx';
import { NoticeList } from './notice-list.tsx';
import { ThemeButton } from './theme-button.tsx';

const RunPage = lazy(async () => (await import('../pages/run-page.tsx')).RunPage);
const PipelinesPage = lazy(async () => (await import('../pages/pipelines-page.tsx')).PipelinesPage);
const DefinitionPage = lazy(async () => (await import('../pages/definition-page.tsx')).DefinitionPage);
const ObjectsPage = lazy(async () => (await import('../pages/objects-page.tsx')).ObjectsPage);
const ObjectTablePage = lazy(async () => (await import('../pages/objects-page.tsx')).ObjectTablePage);
const ObjectPage = lazy(async () => (await import('../pages/object-page.tsx')).ObjectPage);
const InstallsPage = lazy(async () => (await import('../pages/installs-page.tsx')).InstallsPage);
const HostsPage = lazy(async () => (await import('../pages/hosts-page.tsx')).HostsPage);
const SearchDialog = lazy(async () => (await import('./search-dialog.tsx')).SearchDialog);

const sections = [
  ['/runs', 'Runs'],
  ['/pipelines', 'Pipelines'],
  ['/installs', 'Installs'],
  ['/hosts', 'Hosts'],
  ['/objects', 'Objects'],
] as const;

/** The frame of all pages: navigation, the page of the address, notices. */
export function Shell() {
  const { session, router } = useApp();
  const state = session.state.value;
  const { path } = router.place.value;
  useEffect(() => {
    const [section = 'Runs', ...rest] = path.split('/').filter(Boolean);
    document.title = `${rest.at(-1) ?? section} · Tektite`;
  }, [path]);
  const [isSearching, setSearching] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      setSearching(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (state.phase === 'checking') return <main class="center" aria-busy="true" />;
  if (state.phase === 'out') return <LoginPage form={state.form} error={state.error} />;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <Link to="/runs" class="brand">
          <img src="/icon.svg" alt="" width="20" height="20" />
          Tektite
        </Link>
        <nav aria-label="Sections">
          {sections.map(([to, name]) => (
            <Link
              key={to}
              to={to}
              class={isWithin(path, to) ? 'active' : ''}
              aria-current={isWithin(path, to) ? 'page' : undefined}
            >
              {name}
            </Link>
          ))}
        </nav>
        <div class="top-end">
          {state.session.isReadOnly ? <span class="tag">read-only</span> : null}
          <button type="button" class="search-button" onClick={() => setSearching(true)}>
            Search <kbd>/</kbd>
          </button>
          <ThemeButton />
          <details class="menu">
            <summary title="User">{state.session.user}</summary>
            <div class="menu-body">
              <button type="button" onClick={() => void session.logOut()}>
                Log out
              </button>
            </div>
          </details>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Page path={path} />
      </main>
      {isSearching ? <SearchDialog onClose={() => setSearching(false)} /> : null}
      <NoticeList />
    </div>
  );
}

function isWithin(path: string, section: string): boolean {
  return path === section || path.startsWith(`${section}/`) || (section === '/runs' && path === '/');
}

function Page({ path }: { readonly path: string }) {
  const [section = 'runs', ...rest] = path.split('/').filter(Boolean).map(decodeURIComponent);
  if (section === 'runs' && rest.length === 0) return <RunsPage />;
  const [kind = '', namespace = '', name = ''] = rest;
  if (section === 'pipelines' && rest.length === 0) return <PipelinesPage />;
  if (section === 'pipelines' && name)
    return <DefinitionPage key={path} kind={kind === 'task' ? 'Task' : 'Pipeline'} namespace={namespace} name={name} />;
  if (section === 'installs') return <InstallsPage />;
  if (section === 'hosts') return <HostsPage />;
  if (section === 'objects') return <ObjectPlace rest={rest} path={path} />;
  if (section === 'runs' && name)
    return (
      <RunPage key={path} kind={kind === 'taskrun' ? 'TaskRun' : 'PipelineRun'} namespace={namespace} name={name} />
    );
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <Link to="/runs">Runs</Link>
    </div>
  );
}

/** `/objects`, `/objects/apps/v1/deployments`, and with a namespace and a name behind. */
function ObjectPlace({ rest, path }: { readonly rest: readonly string[]; readonly path: string }) {
  const [groupText = '', version = '', plural = '', namespace = '', name = ''] = rest;
  if (!plural) return <ObjectsPage />;
  const resource = { group: groupText === 'core' ? '' : groupText, version, plural };
  if (!name) return <ObjectTablePage key={path} {...resource} />;
  return <ObjectPage key={path} resource={resource} namespace={namespace === '-' ? '' : namespace} name={name} />;
}
