import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { getCatalog } from '@apprentice/contracts/abilities/availability.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import type { EntryMode, ObservationMode } from '@apprentice/contracts/learn/session.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Field } from '../parts/basic.tsx'
import { nameDevice } from '../phone/name-device.ts'
import { t } from '../text/text.ts'
import { AppPicker } from './app-picker.tsx'
import { activeSessions, chooseSession } from './current-session.ts'
import type { ShortcutQuery } from './shortcuts.ts'
import { type Setup, startFromSetup } from './start-session.ts'

const OBSERVATION_MODES: readonly ObservationMode[] = ['mixed', 'outside_agent', 'inside_agent']

interface SetupProps {
  readonly mode: EntryMode
  /** What was chosen on another page. */
  readonly given: ShortcutQuery
}

/** The settings of a lesson before it starts: the goal, the phone, and what may be observed. */
export function SetupForm({ mode, given }: SetupProps) {
  const { route } = useLocation()
  const busy = useSignal(false)
  const setup = useSignal<Setup>(createSetup(mode, given))
  const change = (part: Partial<Setup>): void => {
    setup.value = { ...setup.value, ...part }
  }
  const start = async (): Promise<void> => {
    busy.value = true
    const isStarted = await attempt(async () => chooseSession(await startFromSetup(setup.value)))
    busy.value = false
    if (isStarted) route('/learn/active')
  }
  const isPractice = mode === 'autonomous_agent_practice'
  return (
    <form
      class="panel setup"
      aria-label={t.learn.modes[mode]}
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <Field label={t.setup.goal} hint={t.setup.goalHint}>
        <input
          required
          maxLength={400}
          placeholder={t.setup.goalExample}
          value={setup.value.goal}
          onInput={({ currentTarget }) => change({ goal: currentTarget.value })}
        />
      </Field>
      {mode === 'improving_existing_skill' && (
        <AbilityField value={setup.value.abilityId} onChange={(abilityId) => change({ abilityId })} />
      )}
      <DeviceField value={setup.value.serial} onChange={(serial) => change({ serial })} />
      <AppPicker
        key={setup.value.serial}
        serial={setup.value.serial}
        label={isPractice ? t.setup.apps : t.setup.appsOptional}
        isRequired={isPractice}
        chosen={setup.value.apps}
        onChange={(apps) => change({ apps })}
      />
      {isPractice ? (
        <Switch label={t.setup.mayWrite} checked={setup.value.mayWrite} onChange={(mayWrite) => change({ mayWrite })} />
      ) : (
        <ObservationFields setup={setup.value} onChange={change} />
      )}
      <BusyLesson />
      <button class="primary" disabled={busy.value || (isPractice && setup.value.apps.length === 0)}>
        {isPractice ? t.setup.startPractice : t.setup.start}
      </button>
    </form>
  )
}

/** Only one lesson can run at a time. The one that runs is a click away. */
function BusyLesson() {
  const running = activeSessions.value.find(({ state }) => BLOCKING_STATES.has(state))
  if (running === undefined) return null
  return (
    <p class="warning" role="status">
      {t.teach.busy.text} <a href={`/learn/active/${running.learn_session_id}`}>{t.teach.busy.open}</a>
    </p>
  )
}

const BLOCKING_STATES = new Set(['idle', 'armed', 'capturing', 'paused', 'stopped', 'reviewing', 'awaiting_questions'])

const createSetup = (mode: EntryMode, { ability = '', device = '', observe }: ShortcutQuery): Setup => ({
  mode,
  goal: '',
  serial: device,
  apps: [],
  observation:
    OBSERVATION_MODES.find((name) => name === observe) ??
    (mode === 'autonomous_agent_practice' ? 'inside_agent' : 'mixed'),
  consent: true,
  abilityId: ability,
  mayWrite: true,
})

interface ChoiceProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

function DeviceField({ value, onChange }: ChoiceProps) {
  const { data } = useResource('devices', () => call(listDevices))
  const devices = data.value?.devices ?? []
  const [first] = devices
  if (value === '' && first !== undefined) queueMicrotask(() => onChange(first.serial))
  return (
    <Field label={t.setup.device}>
      <select required value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {devices.map((device) => (
          <option key={device.serial} value={device.serial}>
            {nameDevice(device)} ({device.serial})
          </option>
        ))}
      </select>
    </Field>
  )
}

function AbilityField({ value, onChange }: ChoiceProps) {
  const { data } = useResource('catalog', () => call(getCatalog))
  return (
    <Field label={t.setup.ability}>
      <select required value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{t.setup.chooseAbility}</option>
        {(data.value?.items ?? []).map(({ ability_id, title }) => (
          <option key={ability_id} value={ability_id}>
            {title}
          </option>
        ))}
      </select>
    </Field>
  )
}

interface ObservationProps {
  readonly setup: Setup
  readonly onChange: (part: Partial<Setup>) => void
}

const ObservationFields = ({ setup, onChange }: ObservationProps) => (
  <>
    <Field label={t.setup.observation}>
      <select
        value={setup.observation}
        onChange={({ currentTarget }) => onChange({ observation: currentTarget.value as ObservationMode })}
      >
        {OBSERVATION_MODES.map((name) => (
          <option key={name} value={name}>
            {t.setup.observationModes[name]}
          </option>
        ))}
      </select>
    </Field>
    <Switch label={t.setup.consent} checked={setup.consent} onChange={(consent) => onChange({ consent })} />
  </>
)

interface SwitchProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

const Switch = ({ label, checked, onChange }: SwitchProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />{' '}
    {label}
  </label>
)
