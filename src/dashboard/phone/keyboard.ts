import type { ScreenFrame } from '@apprentice/contracts/devices/screen.ts'
import type { PhoneInput } from './phone-input.ts'

const TYPING_PAUSE_MS = 350
const MAX_TEXT = 512
/** The part of the screen that one turn of the wheel or one arrow key moves. */
const SCROLL_PART = 0.4

type Send = (input: PhoneInput) => void

/**
 * Sends keys, pasted text and the wheel to the phone while it has the focus. Tab and browser shortcuts stay with the
 * browser. Each input is sent when the one before has been done, so that none overtakes it. Returns a function that
 * removes the listeners.
 */
export function listenToKeyboard(
  surface: HTMLElement,
  readFrame: () => ScreenFrame | undefined,
  sendNow: (input: PhoneInput) => Promise<void>,
) {
  const listeners = new AbortController()
  const { signal } = listeners
  let sent = Promise.resolve()
  const send: Send = (input) => {
    sent = sent.then(() => sendNow(input))
  }
  const typing = collectTyping(send)
  const scroll = (direction: 1 | -1, axis: Axis = 'y'): void => {
    const frame = readFrame()
    if (frame !== undefined) send(toSwipe(frame, direction, axis))
  }
  const onKey = (event: KeyboardEvent): void => {
    if (!isForPhone(event, surface) || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key.length === 1) typing.add(event.key)
    else if (event.key === 'Backspace') typing.deleteLast()
    else if (event.key === 'Enter') typing.send(true)
    else if (event.key === 'Escape') send({ kind: 'key', key: 'back' })
    else if (event.key === 'Home') send({ kind: 'key', key: 'home' })
    else if (event.key === 'ArrowDown' || event.key === 'PageDown') scroll(1)
    else if (event.key === 'ArrowUp' || event.key === 'PageUp') scroll(-1)
    else if (event.key === 'ArrowRight') scroll(1, 'x')
    else if (event.key === 'ArrowLeft') scroll(-1, 'x')
    else return
    event.preventDefault()
  }
  const onPaste = (event: ClipboardEvent): void => typing.add(event.clipboardData?.getData('text/plain') ?? '')
  surface.addEventListener('keydown', onKey, { signal })
  surface.addEventListener('paste', onPaste, { signal })
  surface.addEventListener('wheel', collectWheel(scroll), { signal, passive: false })
  return () => {
    typing.stop()
    listeners.abort()
  }
}

/** Letters are collected until the person pauses, because each input is one execution. */
function collectTyping(send: Send) {
  let typed = ''
  /** Characters of the field to delete before that. */
  let deleted = 0
  let timer: number | undefined
  const sendTyped = (submit: boolean): void => {
    clearTimeout(timer)
    if (deleted > 0) send({ kind: 'edit_key', key: 'delete', times: deleted })
    if (typed !== '') send({ kind: 'text', text: typed, submit })
    else if (submit) send({ kind: 'edit_key', key: 'enter' })
    typed = ''
    deleted = 0
  }
  const sendSoon = (): void => {
    clearTimeout(timer)
    timer = window.setTimeout(() => sendTyped(false), TYPING_PAUSE_MS)
  }
  return {
    add: (text: string): void => {
      typed = (typed + text).slice(0, MAX_TEXT)
      sendSoon()
    },
    deleteLast: (): void => {
      if (typed === '') deleted = Math.min(deleted + 1, MAX_TEXT)
      else typed = typed.replace(/.$/su, '')
      sendSoon()
    },
    send: sendTyped,
    stop: (): void => clearTimeout(timer),
  }
}

/** Keys on the buttons over elements are for the phone too, except those that press a button. */
function isForPhone(event: KeyboardEvent, surface: HTMLElement): boolean {
  if (event.target === surface) return true
  const isOnTarget = event.target instanceof HTMLElement && event.target.closest('.targets') !== null
  return isOnTarget && event.key !== 'Enter' && event.key !== ' '
}

/** One swipe for the turns of the wheel within a moment. */
function collectWheel(scroll: (direction: 1 | -1) => void): (event: WheelEvent) => void {
  let sum = 0
  let timer: number | undefined
  return (event) => {
    event.preventDefault()
    sum += event.deltaY
    timer ??= window.setTimeout(() => {
      if (sum !== 0) scroll(sum > 0 ? 1 : -1)
      sum = 0
      timer = undefined
    }, 80)
  }
}

type Axis = 'x' | 'y'

/** Scrolling down moves the finger up, and scrolling to the right moves it to the left. */
function toSwipe({ width, height }: ScreenFrame, direction: 1 | -1, axis: Axis): PhoneInput {
  const start = 0.5 + (direction * SCROLL_PART) / 2
  const toPlace = (part: number) => ({
    x: Math.floor(width * (axis === 'x' ? part : 0.5)),
    y: Math.floor(height * (axis === 'y' ? part : 0.5)),
  })
  return { kind: 'swipe', from: toPlace(start), to: toPlace(1 - start) }
}
