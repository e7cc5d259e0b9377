import type { ScreenInput } from '@apprentice/contracts/devices/screen.ts'

/** An action before its defaults are filled in. */
export interface RawAction {
  readonly id: string
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
}

/** No retries: the person sees the result and decides. */
const RETRY = { maxAttempts: 1 }

/** Turns an input on the live screen into an action of an execution. */
export function toAction(input: ScreenInput): RawAction {
  switch (input.kind) {
    case 'tap':
    case 'long_press': {
      const { x, y, kind } = input
      const clickType = kind === 'tap' ? 'click' : 'long_click'
      return { id: kind, type: 'click', params: { coordinate: { x, y }, clickType, retry: RETRY } }
    }
    case 'swipe': {
      const { from, to } = input
      return { id: 'swipe', type: 'swipe', params: { from, to, retry: RETRY } }
    }
    case 'key':
      return { id: 'key', type: 'press_key', params: { key: input.key, retry: RETRY } }
    case 'edit_key': {
      const { key, times } = input
      return { id: 'edit_key', type: 'press_edit_key', params: { key, times, retry: RETRY } }
    }
    case 'orientation':
      return { id: 'orientation', type: 'set_orientation', params: { orientation: input.orientation, retry: RETRY } }
    case 'text': {
      const { text, submit } = input
      return {
        id: 'text',
        type: 'enter_text',
        params: { intoFocus: true, text, submit, retry: RETRY },
      }
    }
  }
}
