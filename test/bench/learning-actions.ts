import type { Phone } from '@apprentice/phone/phone.ts'
import type { LabAction } from './learning-lab.ts'

/** Actions of a demonstration. */
export const open = (applicationId: string): LabAction => ({
  action: { type: 'open_app', params: { applicationId } },
})

export const tap = (text: string): LabAction => ({
  action: { type: 'click', params: { matcher: { textEquals: text } } },
})

/** Taps the n-th node with a resource id. */
export const tapId = (id: string, index = 0): LabAction => ({
  action: { type: 'click', params: { matcher: { resourceId: id, index } } },
})

/** Taps the node with a resource id and a text. */
export const tapEntry = (id: string, text: string): LabAction => ({
  action: { type: 'click', params: { matcher: { resourceId: id, textEquals: text } } },
})

/** Taps a framework button of a dialog: 1 confirms, 2 cancels, 3 postpones. */
export const button = (number: 1 | 2 | 3): LabAction => tapId(`android:id/button${number}`)

export const tapDescribed = (description: string): LabAction => ({
  action: { type: 'click', params: { matcher: { contentDescEquals: description } } },
})

export const hold = (text: string): LabAction => ({
  action: { type: 'click', params: { matcher: { textEquals: text }, clickType: 'long_click' } },
})

export const type = (id: string, text: string, submit = false): LabAction => ({
  action: {
    type: 'enter_text',
    params: { matcher: { resourceId: id }, text, submit, clear: true },
  },
})

export const back: LabAction = { action: { type: 'press_key', params: { key: 'back' } } }
export const home: LabAction = { action: { type: 'press_key', params: { key: 'home' } } }
export const scrollDown: LabAction = { action: { type: 'scroll', params: { direction: 'down' } } }
export const scrollUp: LabAction = { action: { type: 'scroll', params: { direction: 'up' } } }

/** Swipes along a slider. */
export const slide = (y: number, from: number, to: number): LabAction => ({
  action: { type: 'swipe', params: { from: { x: from, y }, to: { x: to, y } } },
})

export const happens = (event: (phone: Phone) => void): LabAction => ({ happens: event })

export const times = (count: number, action: LabAction): LabAction[] => Array.from({ length: count }, () => action)
