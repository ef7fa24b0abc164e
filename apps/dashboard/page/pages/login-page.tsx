import { useState } from 'preact/hooks';
import { useApp } from '../app.ts';

interface LoginPageProps {
  readonly form: 'code' | 'token' | 'header';
  readonly error?: string | undefined;
}

const hints: Readonly<Record<LoginPageProps['form'], string>> = {
  code: 'Open the link that the command printed, or paste its code. `tektite dashboard` prints a new one.',
  token: 'Paste a bearer token of the cluster, as `kubectl create token NAME` prints it.',
  header: 'The proxy in front of this page logs users in, and has not named one.',
};

/** Asks for credentials. */
export function LoginPage({ form, error }: LoginPageProps) {
  const { session } = useApp();
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    // A whole link may be pasted, too.
    await session.logIn({ [form]: text.trim().replace(/^.*#code=/, '') });
    setBusy(false);
  };
  return (
    <main class="center">
      <form class="login" onSubmit={(event) => void submit(event)}>
        <img src="/icon.svg" alt="" width="40" height="40" />
        <h1>Tektite</h1>
        <p class="muted">{hints[form].split('`').map((part, index) => (index % 2 ? <code>{part}</code> : part))}</p>
        {error ? (
          <p class="problem" role="alert">
            {error}
          </p>
        ) : null}
        {form === 'header' ? (
          <button type="button" class="primary" onClick={() => void session.logIn({})}>
            Try again
          </button>
        ) : (
          <>
            <label>
              {form === 'code' ? 'Code' : 'Token'}
              <input
                type="password"
                name={form}
                autocomplete="off"
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="primary" disabled={isBusy || text.trim() === ''}>
              Log in
            </button>
          </>
        )}
      </form>
    </main>
  );
}
