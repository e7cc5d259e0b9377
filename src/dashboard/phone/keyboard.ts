import type { ScreenFrame } from '@apprentice/contracts/devices/screen.ts'
import type { PhoneInput } from './phone-input.ts'

const TYPING_PAUSE_MS = 350
const MAX_TEXT = 512
/** The part of the screen that one turn of the wheel or one arrow key moves. */
const SCROLL_PART = 0.4

type Send = (input: PhoneInput) => void

/**
 * Sends keys, pasted text and the wheel to the phone while it has the focus. Letters are collected until the person
 * pauses, because each input is one execution. Tab and browser shortcuts stay with the browser. Returns a function that
 * removes the listeners.
 */
export function listenToKeyboard(surface: HTMLElement, readFrame: () => ScreenFrame | undefined, send: Send) {
  const listeners = new AbortController()
  const { signal } = listeners
  let typed = ''
  let timer: number | undefined
  const sendTyped = (submit: boolean): void => {
    clearTimeout(timer)
    if (typed !== '') send({ kind: 'text', text: typed, submit })
    typed = ''
  }
  const collect = (text: string): void => {
    typed = (typed + text).slice(0, MAX_TEXT)
    clearTimeout(timer)
    timer = window.setTimeout(() => sendTyped(false), TYPING_PAUSE_MS)
  }
  const scroll = (direction: 1 | -1): void => {
    const frame = readFrame()
    if (frame !== undefined) send(toSwipe(frame, direction))
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.target !== surface || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key.length === 1) collect(event.key)
    else if (event.key === 'Enter' && typed !== '') sendTyped(true)
    else if (event.key === 'Escape') send({ kind: 'key', key: 'back' })
    else if (event.key === 'Home') send({ kind: 'key', key: 'home' })
    else if (event.key === 'ArrowDown' || event.key === 'PageDown') scroll(1)
    else if (event.key === 'ArrowUp' || event.key === 'PageUp') scroll(-1)
    else return
    event.preventDefault()
  }
  surface.addEventListener('keydown', onKey, { signal })
  surface.addEventListener('paste', (event) => collect(event.clipboardData?.getData('text/plain') ?? ''), { signal })
  surface.addEventListener('wheel', collectWheel(scroll), { signal, passive: false })
  return () => {
    clearTimeout(timer)
    listeners.abort()
  }
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

/** Scrolling down moves the finger up. */
function toSwipe({ width, height }: ScreenFrame, direction: 1 | -1): PhoneInput {
  const x = Math.floor(width / 2)
  const toPixel = (part: number): number => Math.floor(part * height)
  const start = 0.5 + (direction * SCROLL_PART) / 2
  return { kind: 'swipe', from: { x, y: toPixel(start) }, to: { x, y: toPixel(1 - start) } }
}
