import { useSignal } from '@preact/signals'
import { listApps } from '@apprentice/contracts/devices/apps.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

interface PickerProps {
  readonly serial: string
  readonly label: string
  readonly isRequired: boolean
  readonly chosen: readonly string[]
  readonly onChange: (apps: readonly string[]) => void
}

/** Chooses apps of a phone by name. Without a choice, all apps may be used. */
export function AppPicker({ serial, label, isRequired, chosen, onChange }: PickerProps) {
  const query = useSignal('')
  const { data, failure } = useResource(`${serial}/apps`, async () =>
    serial === '' ? { apps: [] } : call(listApps, { params: { serial } }),
  )
  const apps = data.value?.apps ?? []
  const words = query.value.toLowerCase()
  const offered = apps.filter(
    ({ label: name, application_id: id }) => !chosen.includes(id) && `${name} ${id}`.toLowerCase().includes(words),
  )
  const name = (id: string): string => apps.find((one) => one.application_id === id)?.label ?? id
  return (
    <fieldset class="app-picker">
      <legend class="field-label">{label}</legend>
      <p class="chips">
        {chosen.length === 0 && <span class="hint">{isRequired ? t.teach.apps.needed : t.teach.apps.all}</span>}
        {chosen.map((id) => (
          <button
            key={id}
            type="button"
            class="chip"
            aria-label={t.teach.apps.remove(name(id))}
            title={id}
            onClick={() => onChange(chosen.filter((one) => one !== id))}
          >
            {name(id)} <Icon name="close" size={12} />
          </button>
        ))}
      </p>
      <details>
        <summary>{t.teach.apps.choose}</summary>
        {failure.value !== undefined && <p class="error">{t.teach.apps.failed}</p>}
        <input
          type="search"
          placeholder={t.teach.apps.search}
          aria-label={t.teach.apps.search}
          value={query.value}
          onInput={({ currentTarget }) => (query.value = currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        <ul class="app-list">
          {offered.map(({ application_id, label: title }) => (
            <li key={application_id}>
              <button
                type="button"
                class="quiet"
                title={application_id}
                onClick={() => onChange([...chosen, application_id])}
              >
                <Icon name="plus" size={14} /> {title}
              </button>
            </li>
          ))}
        </ul>
      </details>
    </fieldset>
  )
}
