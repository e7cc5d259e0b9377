import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Device } from '@apprentice/contracts/devices/device.ts'
import type { ScreenElement, ScreenFrame } from '@apprentice/contracts/devices/screen.ts'
import { readMessage } from '../api/client.ts'
import { Badge, StateBadge } from '../parts/basic.tsx'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'
import { listenToKeyboard } from './keyboard.ts'
import { nameDevice } from './name-device.ts'
import { openLiveScreen } from './live-screen.ts'
import { type PhoneInput, readExecutionFailure, sendPhoneInput } from './phone-input.ts'
import { Inspector } from './inspector.tsx'
import { Screen } from './screen.tsx'

interface PhoneProps {
  readonly device: Device
  /** While set, a click on the screen chooses an element. */
  readonly onPick?: ((element: ScreenElement) => void) | undefined
}

/** The live screen of a phone with its keys and a text field. */
export function Phone({ device, onPick }: PhoneProps) {
  const { serial, simulated } = device
  const name = nameDevice(device)
  const live = useMemo(() => openLiveScreen(serial), [serial])
  const result = useSignal<{ readonly state: string; readonly message: string } | undefined>(undefined)
  const frame = useRef<HTMLDivElement>(null)
  const zoom = useSignal(1)
  const inspected = useSignal<Inspected>(undefined)
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
    return listenToKeyboard(frame.current, () => live.frame.value, send)
  }, [live])
  const state = live.connected.value ? live.state.value?.state : 'offline'
  const pick =
    onPick ?? (inspected.value && ((element: ScreenElement) => (inspected.value = { chosen: element.index })))
  return (
    <section class="phone" aria-label={t.phone.name(name)} style={{ '--zoom': String(zoom.value) }}>
      <header>
        <strong>{name}</strong>
        {simulated && <Badge>{t.devices.simulated}</Badge>}
        <span class="phone-state" role="status">
          {state !== undefined && <StateBadge state={state} />}
        </span>
        <span class="phone-front">{live.elements.value?.foreground.package ?? ''}</span>
      </header>
      <div ref={frame} class="phone-frame" tabIndex={0} aria-label={t.phone.keyboardHint}>
        <Screen name={name} live={live} send={sendSoon} onPick={pick} framed={inspected.value?.chosen} />
      </div>
      <Keys send={sendSoon} isSideways={isSideways(live.frame.value)} />
      <ViewKeys zoom={zoom} inspected={inspected} onFullScreen={() => void frame.current?.requestFullscreen()} />
      <TextForm send={send} />
      <p class="phone-result" role="status">
        {result.value !== undefined && (
          <>
            <StateBadge state={result.value.state} /> {result.value.message}
          </>
        )}
      </p>
      {inspected.value !== undefined && (
        <Inspector
          serial={serial}
          fingerprint={live.elements.value?.fingerprint ?? ''}
          chosen={inspected.value.chosen}
          onChoose={(chosen) => (inspected.value = { chosen })}
        />
      )}
    </section>
  )
}

const KEYS = ['back', 'home', 'recents'] as const
const KEY_ICONS = { back: 'back', home: 'home', recents: 'square' } as const

const isSideways = (frame: ScreenFrame | undefined): boolean => frame !== undefined && frame.width > frame.height

interface KeysProps {
  readonly send: (input: PhoneInput) => void
  readonly isSideways: boolean
}

function Keys({ send, isSideways: turned }: KeysProps) {
  return (
    <div class="keys">
      {KEYS.map((key) => (
        <button key={key} type="button" onClick={() => send({ kind: 'key', key })}>
          <Icon name={KEY_ICONS[key]} /> {t.phone.keys[key]}
        </button>
      ))}
      <button
        type="button"
        onClick={() => send({ kind: 'orientation', orientation: turned ? 'portrait' : 'landscape' })}
      >
        <Icon name="rotate" /> {t.phone.rotate}
      </button>
    </div>
  )
}

/** The element that is inspected; undefined while nothing is inspected. */
type Inspected = { readonly chosen?: number } | undefined

interface ViewKeysProps {
  readonly zoom: Signal<number>
  readonly inspected: Signal<Inspected>
  readonly onFullScreen: () => void
}

const ZOOMS = [0.6, 0.8, 1, 1.25, 1.5, 2]

/** What changes the view of the phone and nothing on it. */
function ViewKeys({ zoom, inspected, onFullScreen }: ViewKeysProps) {
  const at = ZOOMS.indexOf(zoom.value)
  const isInspecting = inspected.value !== undefined
  const zoomTo = (next: number) => (zoom.value = ZOOMS[next] ?? zoom.value)
  return (
    <div class="keys view-keys">
      <button
        type="button"
        class="quiet"
        title={t.teach.phone.zoomOut}
        disabled={at === 0}
        onClick={() => zoomTo(at - 1)}
      >
        <Icon name="minus" />
        <span class="only-read">{t.teach.phone.zoomOut}</span>
      </button>
      <button
        type="button"
        class="quiet"
        title={t.teach.phone.zoomIn}
        disabled={at === ZOOMS.length - 1}
        onClick={() => zoomTo(at + 1)}
      >
        <Icon name="plus" />
        <span class="only-read">{t.teach.phone.zoomIn}</span>
      </button>
      <button type="button" class="quiet" title={t.phone.fullScreen} onClick={onFullScreen}>
        <Icon name="zoom" />
        <span class="only-read">{t.phone.fullScreen}</span>
      </button>
      <button
        type="button"
        class="quiet"
        aria-pressed={isInspecting}
        title={isInspecting ? t.teach.phone.stopInspecting : t.teach.phone.inspect}
        onClick={() => (inspected.value = isInspecting ? undefined : {})}
      >
        <Icon name="inspect" />
        <span class="only-read">{t.teach.phone.inspect}</span>
      </button>
      <details class="key-help">
        <summary title={t.teach.phone.helpTitle}>
          <Icon name="help" />
          <span class="only-read">{t.teach.phone.helpTitle}</span>
        </summary>
        <p>{t.teach.phone.help}</p>
      </details>
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
