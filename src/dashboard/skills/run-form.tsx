import { useSignal } from '@preact/signals'
import type { AbilityDetail } from '@apprentice/contracts/abilities/availability.ts'
import { type AbilityRun, cancelAbilityRun, runAbility } from '@apprentice/contracts/abilities/runs.ts'
import type { RunInputs } from '@apprentice/contracts/abilities/run-parts.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { attempt } from '../app/notices.tsx'
import { ApiFailure, call, readMessage } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Field, StateBadge, Time } from '../parts/basic.tsx'
import { nameDevice } from '../phone/name-device.ts'
import { Phone } from '../phone/phone.tsx'
import { say } from '../text/say.ts'
import { formatName, t } from '../text/text.ts'
import { SETTLED_RUN_STATES } from './follow-run.ts'
import { RunOutcome } from './run-outcome.tsx'
import { RunTrace } from './run-trace.tsx'
import { useRun } from './use-run.ts'

/** A form with one field per input, the phone beside it, and the outcome below. */
export function RunForm({ ability }: { readonly ability: AbilityDetail }) {
  const known = useResource('devices', () => call(listDevices)).data.value?.devices ?? []
  const needsDevice = ability.scene_id === undefined
  const devices = needsDevice ? known : []
  const serial = useSignal('')
  const values = useSignal<RunInputs>({ ...readDefaults(ability.inputs), ...readRemembered(ability) })
  const { run, last, follow } = useRun(ability.ability_id)
  const refusal = useSignal<{ readonly field?: string; readonly message: string } | undefined>(undefined)
  const isRunning = run.value !== undefined && !SETTLED_RUN_STATES.has(run.value.state)
  const device = devices.find((one) => one.serial === serial.value) ?? devices[0]
  // A verified run makes an ability usable that was not rehearsed.
  const isRunnable = ability.usable_now || ability.reason_unusable === 'not_rehearsed'
  const start = async (): Promise<void> => {
    refusal.value = undefined
    sessionStorage.setItem(nameStored(ability), JSON.stringify(values.value))
    try {
      const body = { inputs: values.value, ...(device !== undefined && { serial: device.serial }) }
      await follow((await call(runAbility, { params: { abilityId: ability.ability_id }, body })).run)
    } catch (error) {
      refusal.value = toRefusal(error)
    }
  }
  return (
    <div class="columns">
      <form
        class="panel run-form"
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        {ability.inputs.map((input) => (
          <InputField
            key={input.name}
            input={input}
            value={values.value[input.name]}
            error={refusal.value?.field === input.name ? refusal.value.message : undefined}
            onChange={(value) => (values.value = withValue(values.value, input.name, value))}
          />
        ))}
        {devices.length > 1 && (
          <Field label={t.setup.device}>
            <select value={device?.serial ?? ''} onChange={({ currentTarget }) => (serial.value = currentTarget.value)}>
              {devices.map((one) => (
                <option key={one.serial} value={one.serial}>
                  {nameDevice(one)}
                </option>
              ))}
            </select>
          </Field>
        )}
        {needsDevice && devices.length === 0 && <p class="warning">{t.ability.noPhone}</p>}
        {!isRunnable && <p class="warning">{formatName(ability.reason_unusable ?? 'not_usable')}</p>}
        <div class="buttons">
          <button class="primary" disabled={!isRunnable || isRunning}>
            {t.ability.run}
          </button>
          {isRunning && <CancelRun runId={run.value?.run_id ?? ''} />}
        </div>
        {refusal.value !== undefined && refusal.value.field === undefined && (
          <p class="error" role="alert">
            {refusal.value.message}
          </p>
        )}
        {run.value === undefined && last.value !== undefined && <LastRun run={last.value} />}
        {run.value !== undefined && <RunOutcome run={run.value} />}
        {run.value !== undefined && <RunTrace run={run.value} />}
      </form>
      {device !== undefined && (
        <div class="phone-column">
          <Phone key={device.serial} device={device} />
        </div>
      )}
    </div>
  )
}

const CancelRun = ({ runId }: { readonly runId: string }) => (
  <button type="button" onClick={() => void attempt(() => call(cancelAbilityRun, { params: { runId }, body: {} }))}>
    {t.ability.cancelRun}
  </button>
)

/** The tab remembers the values of the last run, so that it can be run again. The daemon stores no values of runs. */
const nameStored = ({ ability_id }: AbilityDetail): string => `apprentice.inputs.${ability_id}`

function readRemembered(ability: AbilityDetail): RunInputs {
  const stored = JSON.parse(sessionStorage.getItem(nameStored(ability)) ?? '{}') as RunInputs
  return Object.fromEntries(Object.entries(stored).filter(([name]) => ability.inputs.some((one) => one.name === name)))
}

const LastRun = ({ run: { run_id, state, created_at } }: { readonly run: AbilityRun }) => (
  <p class="hint last-run">
    {t.ability.lastRun}{' '}
    <a href={`/runs/${run_id}`}>
      <StateBadge state={state} /> <Time at={created_at} />
    </a>
  </p>
)

/** A refusal that names an input is displayed at its field. */
function toRefusal(error: unknown) {
  const field = error instanceof ApiFailure ? error.details['input'] : undefined
  return { message: readMessage(error), ...(typeof field === 'string' && { field }) }
}

const readDefaults = (inputs: readonly RecipeInput[]): RunInputs =>
  Object.fromEntries(
    inputs.flatMap(({ name, type, required, choices, default: value }) => {
      if (value !== undefined) return [[name, value]]
      if (type === 'boolean') return [[name, false]]
      return required && choices?.[0] !== undefined ? [[name, choices[0]]] : []
    }),
  )

function withValue(values: RunInputs, name: string, value: RunInputs[string] | undefined): RunInputs {
  const { [name]: _, ...others } = values
  return value === undefined ? others : { ...others, [name]: value }
}

interface InputFieldProps {
  readonly input: RecipeInput
  readonly value: RunInputs[string] | undefined
  readonly error: string | undefined
  readonly onChange: (value: RunInputs[string] | undefined) => void
}

function InputField({ input, value, error, onChange }: InputFieldProps) {
  const { name, type, summary } = input
  const isNumeric = type === 'integer' || type === 'number'
  const read = (text: string) => {
    if (text === '') return undefined
    return isNumeric ? Number(text) : text
  }
  return (
    <Field label={formatName(name)} hint={summary && say(summary)} error={error}>
      <Control input={input} value={value} onText={(text) => onChange(read(text))} onChange={onChange} />
    </Field>
  )
}

interface ControlProps {
  readonly input: RecipeInput
  readonly value: RunInputs[string] | undefined
  readonly onText: (text: string) => void
  readonly onChange: (value: boolean) => void
}

function Control({ input: { name, type, required, choices }, value, onText, onChange }: ControlProps) {
  const text = value === undefined ? '' : String(value)
  if (choices !== undefined) {
    return (
      <select
        name={name}
        value={text}
        required={required}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      >
        {!required && <option value="" />}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    )
  }
  if (type === 'boolean') {
    return (
      <input
        name={name}
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    )
  }
  const shared = { name, value: text, required }
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => onText(currentTarget.value)
  if (type === 'integer' || type === 'number') {
    return <input {...shared} type="number" step={type === 'integer' ? '1' : 'any'} onInput={onInput} />
  }
  return <input {...shared} type="text" maxLength={4000} onInput={onInput} />
}
