import { useApp } from '../app.ts';

/** Results of actions, in a corner. Screen readers announce them. */
export function NoticeList() {
  const { notices } = useApp();
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.list.value.map(({ id, tone, text }) => (
        <div key={id} class={`notice ${tone}`}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label="Close" onClick={() => notices.close(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
