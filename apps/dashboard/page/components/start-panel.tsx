import type { KubeObject } from '@tektite/meta';
import { useMemo, useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import {
  checkValues,
  emptyForm,
  formOfRun,
  type ParamField,
  runFromForm,
  runWithValues,
  type StartForm,
  type StartValues,
} from '../../src/stores/start-form.ts';
import { runLink } from './run-row.tsx';

/** Starts a Pipeline or Task, or a run again with other values. */
export function StartPanel({ object }: { readonly object: KubeObject }) {
  const isRun = object.kind.endsWith('Run');
  const { form, values } = useMemo(() => (isRun ? formOfRun(object) : emptyForm(object)), []);
  const make = (chosen: StartValues) =>
    isRun ? runWithValues(object, form, chosen) : runFromForm(object, form, chosen);
  return <StartFields form={form} initial={values} make={make} />;
}

interface StartFieldsProps {
  readonly form: StartForm;
  readonly initial: StartValues;
  readonly make: (values: StartValues) => KubeObject;
}

/** A form made of params and workspaces. */
function StartFields({ form, initial, make }: StartFieldsProps) {
  const { actions, notices, router } = useApp();
  const [values, setValues] = useState(initial);
  const [isTried, setTried] = useState(false);
  const errors = checkValues(form, values);
  const setParam = (name: string, text: string) => setValues({ ...values, params: { ...values.params, [name]: text } });
  const setWorkspace = (name: string, text: string) =>
    setValues({ ...values, workspaces: { ...values.workspaces, [name]: text } });
  const submit = async (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (errors.size > 0) return;
    const made = await notices.report(actions.create(make(values)), ({ metadata }) => `${metadata.name} was created`);
    if (made)
      router.go(runLink({ kind: made.kind, namespace: made.metadata.namespace ?? '', name: made.metadata.name ?? '' }));
  };
  return (
    <form class="start pad" onSubmit={(event) => void submit(event)}>
      {form.params.length > 0 ? <h2>Params</h2> : null}
      {form.params.map((field) => (
        <label key={field.name}>
          <span>
            {field.name} {field.isRequired ? <span class="muted">required</span> : null}
          </span>
          <ParamInput
            field={field}
            text={values.params[field.name] ?? ''}
            onText={(text) => setParam(field.name, text)}
          />
          {field.description ? <span class="muted small">{field.description}</span> : null}
          {isTried && errors.has(field.name) ? <span class="problem-text small">{errors.get(field.name)}</span> : null}
        </label>
      ))}
      {form.workspaces.length > 0 ? <h2>Workspaces</h2> : null}
      {form.workspaces.map(({ name, description, isOptional }) => (
        <label key={name}>
          <span>
            {name} {isOptional ? <span class="muted">optional</span> : null}
          </span>
          <input
            list="workspace-kinds"
            placeholder="emptyDir, claim:NAME, configMap:NAME or secret:NAME"
            value={values.workspaces[name] ?? ''}
            onInput={(event) => setWorkspace(name, event.currentTarget.value)}
          />
          {description ? <span class="muted small">{description}</span> : null}
          {isTried && errors.has(name) ? <span class="problem-text small">{errors.get(name)}</span> : null}
        </label>
      ))}
      <datalist id="workspace-kinds">
        {['emptyDir', 'claim:', 'configMap:', 'secret:'].map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <label>
        <span>Service account</span>
        <input
          placeholder="default"
          value={values.serviceAccount}
          onInput={(event) => setValues({ ...values, serviceAccount: event.currentTarget.value })}
        />
      </label>
      <div class="buttons">
        <button type="submit" class="primary">
          Start
        </button>
      </div>
    </form>
  );
}

interface ParamInputProps {
  readonly field: ParamField;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function ParamInput({ field, text, onText }: ParamInputProps) {
  if (field.choices.length > 0)
    return (
      <select value={text} onChange={(event) => onText(event.currentTarget.value)}>
        {field.text === '' ? <option value="">–</option> : null}
        {field.choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  if (field.type === 'string' && !text.includes('\n'))
    return <input value={text} onInput={(event) => onText(event.currentTarget.value)} />;
  return <textarea rows={3} value={text} onInput={(event) => onText(event.currentTarget.value)} />;
}
