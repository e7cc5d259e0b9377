import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Device } from '@apprentice/contracts/devices/device.ts'
import type { ScreenElement } from '@apprentice/contracts/devices/screen.ts'
import { readMessage } from '../api/client.ts'
import { Badge, StateBadge } from '../parts/basic.tsx'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'
import { listenToKeyboard } from './keyboard.ts'
import { openLiveScreen } from './live-screen.ts'
import { type PhoneInput, readExecutionFailure, sendPhoneInput } from './phone-input.ts'
import { Screen } from './screen.tsx'

interface PhoneProps {
  readonly device: Device
  /** While set, a click on the screen chooses an element. */
  readonly onPick?: ((element: ScreenElement) => void) | undefined
}

export const nameDevice = ({ label, facts, serial }: Device): string => label ?? facts.model ?? serial

/** The live screen of a phone with its keys and a text field. */
export function Phone({ device, onPick }: PhoneProps) {
  const { serial, simulated } = device
  const name = nameDevice(device)
  const live = useMemo(() => openLiveScreen(serial), [serial])
  const result = useSignal<{ readonly state: string; readonly message: string } | undefined>(undefined)
  const frame = useRef<HTMLDivElement>(null)
  const send = async (input: PhoneInput): Promise<void> => {
    try {
      const execution = await sendPhoneInput(serial, input)
      const isDone = execution.state === 'succeeded'
      result.value = isDone ? undefined : { state: execution.state, message: readExecutionFailure(execution) }
    } catch (error) {
      result.value = { state: 'rejected', message: readMessage(error) }
    }
  }
  const sendSoon = (input: PhoneInput): void => void send(input)
  useEffect(() => live.close, [live])
  useEffect(() => {
    if (frame.current === null) return
    return listenToKeyboard(frame.current, () => live.frame.value, sendSoon)
  }, [live])
  const state = live.connected.value ? live.state.value?.state : 'offline'
  return (
    <section class="phone" aria-label={t.phone.name(name)}>
      <header>
        <strong>{name}</strong>
        {simulated && <Badge>{t.devices.simulated}</Badge>}
        <span class="phone-state" role="status">
          {state !== undefined && <StateBadge state={state} />}
        </span>
        <span class="phone-front">{live.elements.value?.foreground.package ?? ''}</span>
      </header>
      <div ref={frame} class="phone-frame" tabIndex={0} aria-label={t.phone.keyboardHint}>
        <Screen name={name} live={live} send={sendSoon} onPick={onPick} />
      </div>
      <Keys send={sendSoon} onFullScreen={() => void frame.current?.requestFullscreen()} />
      <TextForm send={send} />
      <p class="phone-result" role="status">
        {result.value !== undefined && (
          <>
            <StateBadge state={result.value.state} /> {result.value.message}
          </>
        )}
      </p>
    </section>
  )
}

const KEYS = ['back', 'home', 'recents'] as const
const KEY_ICONS = { back: 'back', home: 'home', recents: 'square' } as const

function Keys({ send, onFullScreen }: { readonly send: (input: PhoneInput) => void; onFullScreen: () => void }) {
  return (
    <div class="keys">
      {KEYS.map((key) => (
        <button key={key} type="button" onClick={() => send({ kind: 'key', key })}>
          <Icon name={KEY_ICONS[key]} /> {t.phone.keys[key]}
        </button>
      ))}
      <button type="button" class="quiet" aria-label={t.phone.fullScreen} onClick={onFullScreen}>
        <Icon name="zoom" />
      </button>
    </div>
  )
}

function TextForm({ send }: { readonly send: (input: PhoneInput) => Promise<void> }) {
  const typed = useSignal('')
  const submit = useSignal(false)
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const text = typed.value
    typed.value = ''
    await send({ kind: 'text', text, submit: submit.value })
  }
  return (
    <form class="typing" onSubmit={(event) => void onSubmit(event)}>
      <input
        name="text"
        maxLength={512}
        required
        autocomplete="off"
        placeholder={t.phone.textHint}
        aria-label={t.phone.textHint}
        value={typed.value}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
      />
      <label title={t.phone.enterHint}>
        <input
          type="checkbox"
          checked={submit.value}
          onChange={({ currentTarget }) => (submit.value = currentTarget.checked)}
        />{' '}
        {t.phone.enter}
      </label>
      <button>{t.phone.type}</button>
    </form>
  )
}
