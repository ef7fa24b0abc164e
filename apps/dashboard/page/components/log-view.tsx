import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import { openLogPort } from '../log-port.ts';
import { LogStore, type LogStep } from '../../src/stores/log-store.ts';
import { LogRowView } from './log-row.tsx';
import { VirtualList } from './virtual-list.tsx';

interface LogViewProps {
  readonly steps: readonly LogStep[];
  /** Of the downloaded file. */
  readonly fileName: string;
  /** Shown where there are no steps with logs yet. */
  readonly emptyText: string;
}

const rowHeight = 20;
const letterWidth = 7.55;

/** The logs of a task: followed, with colours, folded by step, searched, wrapped, with times, linked and downloaded. */
export function LogView({ steps, fileName, emptyText }: LogViewProps) {
  const { api, clock, router } = useApp();
  const store = useMemo(() => new LogStore(api, clock, openLogPort(), api), []);
  useEffect(() => () => store.close(), []);
  const stepKey = steps.map(({ id, pod }) => `${id} ${pod}`).join();
  const { query } = router.place.value;
  const states = new Map(steps.map(({ id, state }) => [id, state]));
  // Sections that are not as they are at first.
  const turned = new Set((query.fold ?? '').split(',').filter(Boolean));
  const isFoldedFirst = ({ id, isFolded }: LogStep) => isFolded !== turned.has(id);
  useEffect(() => store.show(steps.map((step) => ({ ...step, isFolded: isFoldedFirst(step) }))), [stepKey]);
  const turn = (section: string, isFolded: boolean) => {
    store.fold(section, isFolded);
    if (!turned.delete(section)) turned.add(section);
    router.setQuery({ fold: [...turned].join(',') });
  };
  const isWrapped = query.wrap === '1';
  const setWrapped = (isOn: boolean) => router.setQuery({ wrap: isOn ? '1' : undefined });
  const hasTimes = query.times === '1';
  const setTimes = (isOn: boolean) => router.setQuery({ times: isOn ? '1' : undefined });
  const [isFollowing, setFollowing] = useState(!router.place.value.query.line);
  const [target, setTarget] = useState<number>();
  const [pattern, setPattern] = useState(query.find ?? '');
  const [current, setCurrent] = useState(0);
  const box = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = () => {
      const used = 64 + 28 + (hasTimes ? 112 : 0);
      store.wrap(isWrapped ? Math.max(20, Math.floor((element.clientWidth - used) / letterWidth)) : 0);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [isWrapped, hasTimes]);

  useEffect(() => {
    const timer = setTimeout(() => {
      store.search(pattern);
      if (pattern !== (router.place.value.query.find ?? '')) router.setQuery({ find: pattern });
    }, 150);
    return () => clearTimeout(timer);
  }, [pattern]);
  const matches = store.matches.value;
  const go = (index: number) => {
    if (matches.length === 0) return;
    const next = (index + matches.length) % matches.length;
    setCurrent(next);
    setFollowing(false);
    setTarget(matches[next]?.row);
  };
  // The first match shows at once.
  const [firstMatch] = matches;
  useEffect(() => {
    if (pattern === '' || !firstMatch) return;
    setFollowing(false);
    setTarget(firstMatch.row);
  }, [pattern, firstMatch?.row]);
  // A link to a line: `?line=step:12`.
  const { line = '' } = query;
  const [, lineSection = '', lineNumber = '0'] = /^(.*):(\d+)$/.exec(line) ?? [];
  useEffect(() => {
    if (lineSection && store.lines.value > 0) store.locate(lineSection, Number(lineNumber));
  }, [line, store.lines.value > 0]);
  useEffect(() => setTarget(store.located.value), [store.located.value]);

  const download = async () => {
    const blob = new Blob([...(await store.text(hasTimes))], { type: 'text/plain' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = fileName;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const found = new Map(matches.map(({ section, line: at }, index) => [`${section}:${at}`, index]));
  const { first, rows } = store.window.value;
  return (
    <div class="logs" ref={box}>
      <div class="logs-tools" role="toolbar" aria-label="Log">
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search, regular expressions too"
          value={pattern}
          onInput={(event) => {
            setPattern(event.currentTarget.value);
            setCurrent(0);
          }}
          onKeyDown={(event) =>
            event.key === 'Enter' && go(event.shiftKey ? current - 1 : current + (target === undefined ? 0 : 1))
          }
        />
        <span class="muted number" role="status">
          {pattern === ''
            ? ''
            : (store.searchError.value ?? `${matches.length === 0 ? 0 : current + 1} of ${store.total.value}`)}
        </span>
        <button
          type="button"
          class="quiet"
          aria-label="Previous match"
          disabled={matches.length === 0}
          onClick={() => go(current - 1)}
        >
          ↑
        </button>
        <button
          type="button"
          class="quiet"
          aria-label="Next match"
          disabled={matches.length === 0}
          onClick={() => go(current + 1)}
        >
          ↓
        </button>
        <span class="grow" />
        <span class="muted number">{store.lines.value.toLocaleString('en')} lines</span>
        <Toggle name="Follow" isOn={isFollowing} onChange={setFollowing} />
        <Toggle name="Wrap" isOn={isWrapped} onChange={setWrapped} />
        <Toggle name="Times" isOn={hasTimes} onChange={setTimes} />
        <button type="button" onClick={() => void download()}>
          Download
        </button>
      </div>
      {[...store.problems.value].map(([step, text]) => (
        <p key={step} class="problem">
          <b>{step}</b>: {text}
        </p>
      ))}
      {steps.length === 0 ? (
        <p class="muted pad">{emptyText}</p>
      ) : (
        <VirtualList
          class={`log-rows ${isWrapped ? 'wrapped' : ''}`}
          role="log"
          label="Lines"
          count={store.count.value}
          rowHeight={rowHeight}
          overscan={30}
          isFollowing={isFollowing}
          onFollowChange={setFollowing}
          scrollTo={target}
          onWindow={(from, to) => store.showWindow(from, to)}
          renderRow={(index) => {
            const row = rows[index - first];
            if (!row) return <div key={index} class="log-row" />;
            const at = row.kind === 'line' ? `${row.section}:${row.line}` : '';
            const match = found.get(at);
            return (
              <LogRowView
                key={index}
                row={row}
                hasTimes={hasTimes}
                state={states.get(row.section)}
                isMatch={match !== undefined}
                isCurrent={
                  (match !== undefined && match === current && target !== undefined) || (at !== '' && at === line)
                }
                onFold={(isFolded) => turn(row.section, isFolded)}
                onLink={() => router.setQuery({ line: at })}
              />
            );
          }}
        />
      )}
    </div>
  );
}

interface ToggleProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Toggle({ name, isOn, onChange }: ToggleProps) {
  return (
    <button type="button" class="toggle" aria-pressed={isOn} onClick={() => onChange(!isOn)}>
      {name}
    </button>
  );
}
