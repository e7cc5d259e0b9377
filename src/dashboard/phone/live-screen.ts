import { type Signal, signal } from '@preact/signals'
import {
  type ScreenElements,
  type ScreenFrame,
  type ScreenState,
  streamScreen,
} from '@apprentice/contracts/devices/screen.ts'
import { call } from '../api/client.ts'

const MAX_PAUSE_MS = 3000

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
  let connection = new AbortController()

  const follow = async ({ signal: ended }: AbortController): Promise<void> => {
    const events = call.stream(streamScreen, {
      params: { serial },
      query: { max_fps: 10 },
      signal: ended,
      maxPauseMs: MAX_PAUSE_MS,
      onConnection: (isConnected) => (connected.value = isConnected),
    })
    for await (const { data } of events) {
      if ('frame_id' in data) frame.value = data
      else if ('elements' in data) elements.value = data
      else state.value = data
    }
  }
  const followVisibility = (): void => {
    connection.abort()
    if (document.hidden) return
    connection = new AbortController()
    follow(connection).catch(() => (connected.value = false))
  }
  followVisibility()
  document.addEventListener('visibilitychange', followVisibility)
  const close = (): void => {
    document.removeEventListener('visibilitychange', followVisibility)
    connection.abort()
  }
  return { frame, elements, state, connected, close }
}
