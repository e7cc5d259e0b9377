import type { Phone } from '@apprentice/phone/phone.ts'
import type { Doing } from './learning-lab.ts'

/** What a person does, in the words of a script. */
export const open = (applicationId: string): Doing => ({
  act: { type: 'open_app', params: { applicationId } },
})

export const tap = (text: string): Doing => ({
  act: { type: 'click', params: { matcher: { textEquals: text } } },
})

/** By the last part of its id; the n-th of several. */
export const tapId = (id: string, index = 0): Doing => ({
  act: { type: 'click', params: { matcher: { resourceId: id, index } } },
})

/** Of several with the same id the one that says this. */
export const tapEntry = (id: string, text: string): Doing => ({
  act: { type: 'click', params: { matcher: { resourceId: id, textEquals: text } } },
})

/** A framework button of a dialog: 1 agrees, 2 refuses, 3 puts off. */
export const button = (number: 1 | 2 | 3): Doing => tapId(`android:id/button${number}`)

export const tapDescribed = (description: string): Doing => ({
  act: { type: 'click', params: { matcher: { contentDescEquals: description } } },
})

export const hold = (text: string): Doing => ({
  act: { type: 'click', params: { matcher: { textEquals: text }, clickType: 'long_click' } },
})

export const type = (id: string, text: string, submit = false): Doing => ({
  act: {
    type: 'enter_text',
    params: { matcher: { resourceId: id }, text, submit, clear: true },
  },
})

export const back: Doing = { act: { type: 'press_key', params: { key: 'back' } } }
export const home: Doing = { act: { type: 'press_key', params: { key: 'home' } } }
export const scrollDown: Doing = { act: { type: 'scroll', params: { direction: 'down' } } }
export const scrollUp: Doing = { act: { type: 'scroll', params: { direction: 'up' } } }

/** A finger along a slider. */
export const slide = (y: number, from: number, to: number): Doing => ({
  act: { type: 'swipe', params: { from: { x: from, y }, to: { x: to, y } } },
})

export const happens = (event: (phone: Phone) => void): Doing => ({ happens: event })

export const times = (count: number, doing: Doing): Doing[] =>
  Array.from({ length: count }, () => doing)
