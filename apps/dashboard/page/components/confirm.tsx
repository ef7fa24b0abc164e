import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly children?: ComponentChildren;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. Escape and a click beside it close it. */
export function Confirm({ title, action, isDangerous = false, children, onConfirm, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="confirm-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog-body">
        <h2 id="confirm-title">{title}</h2>
        {children}
        <div class="buttons end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep
          </button>
          <button
            type="button"
            class={isDangerous ? 'danger' : 'primary'}
            onClick={() => {
              onConfirm();
              dialog.current?.close();
            }}
          >
            {action}
          </button>
        </div>
      </div>
    </dialog>
  );
}
