import type { ScreenInput } from '@apprentice/contracts/devices/screen.ts'

/** An action as a payload spells it, before its defaults are filled in. */
export interface WrittenAction {
  readonly id: string
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Nothing is done twice: a person sees what happened and decides. */
const retry = { maxAttempts: 1 }

/** What a hand did, as an action of an execution. */
export function actionOf(input: ScreenInput): WrittenAction {
  switch (input.kind) {
    case 'tap':
    case 'long_press': {
      const { x, y, kind } = input
      const clickType = kind === 'tap' ? 'click' : 'long_click'
      return { id: kind, type: 'click', params: { coordinate: { x, y }, clickType, retry } }
    }
    case 'swipe': {
      const { from, to } = input
      return { id: 'swipe', type: 'swipe', params: { from, to, retry } }
    }
    case 'key':
      return { id: 'key', type: 'press_key', params: { key: input.key, retry } }
    case 'text': {
      const { text, submit } = input
      return { id: 'text', type: 'enter_text', params: { intoFocus: true, text, submit, retry } }
    }
  }
}
