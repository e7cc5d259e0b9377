import { type Signal, signal } from '@preact/signals'
import { ScreenElements, ScreenFrame, ScreenState } from '@apprentice/contracts/devices/screen.ts'
import { fillPath } from '@apprentice/contracts/client.ts'
import { streamScreen } from '@apprentice/contracts/devices/screen.ts'

/** What the stream of a phone reported last. */
export interface LiveScreen {
  readonly frame: Signal<ScreenFrame | undefined>
  readonly elements: Signal<ScreenElements | undefined>
  readonly state: Signal<ScreenState | undefined>
  readonly connected: Signal<boolean>
  readonly close: () => void
}

/** Follows the screen of a phone while this tab is visible. A hidden tab holds no connection. */
export function openLiveScreen(serial: string): LiveScreen {
  const frame = signal<ScreenFrame | undefined>(undefined)
  const elements = signal<ScreenElements | undefined>(undefined)
  const state = signal<ScreenState | undefined>(undefined)
  const connected = signal(true)
  const url = `${fillPath(streamScreen.url, { serial })}?max_fps=10`
  let source: EventSource | undefined

  const connect = (): void => {
    source = new EventSource(url)
    source.addEventListener('frame', ({ data }) => (frame.value = ScreenFrame.parse(JSON.parse(data))))
    source.addEventListener('elements', ({ data }) => (elements.value = ScreenElements.parse(JSON.parse(data))))
    source.addEventListener('screen_state', ({ data }) => (state.value = ScreenState.parse(JSON.parse(data))))
    source.addEventListener('open', () => (connected.value = true))
    source.addEventListener('error', () => (connected.value = false))
  }
  const followVisibility = (): void => {
    source?.close()
    source = undefined
    if (!document.hidden) connect()
  }
  followVisibility()
  document.addEventListener('visibilitychange', followVisibility)
  const close = (): void => {
    document.removeEventListener('visibilitychange', followVisibility)
    source?.close()
  }
  return { frame, elements, state, connected, close }
}
