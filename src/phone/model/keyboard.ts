import type { Device, Keyboard } from './device.ts'
import { contains, type Rect } from './view.ts'

/** A key of the built-in soft keyboard. The keyboard is a separate window and not part of a dump. */
export type KeyCap =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'page'; readonly page: Keyboard['page'] }
  | { readonly kind: 'delete' | 'enter' }

export interface PlacedKey {
  readonly cap: KeyCap
  readonly label: string
  readonly rect: Rect
}

export const BUILT_IN_KEYBOARD = 'com.android.inputmethod.latin/.LatinIME'
export const ADB_KEYBOARD = 'com.android.adbkeyboard/.AdbIME'

const KEYBOARD_HEIGHT = 780
const NAVIGATION_BAR_HEIGHT = 126
const ROW_HEIGHT = 156

/** The y coordinate of the keyboard's upper edge. Undefined while it is hidden. */
export function keyboardTop(device: Device): number | undefined {
  const isUp = device.focus !== undefined && !device.keyboard.hidden
  if (!isUp || device.keyboard.current !== BUILT_IN_KEYBOARD) return undefined
  return device.screen.height - NAVIGATION_BAR_HEIGHT - KEYBOARD_HEIGHT
}

const KEY_ROWS: Readonly<Record<Keyboard['page'], readonly string[]>> = {
  letters: ['1234567890', 'qwertyuiop', 'asdfghjkl', '⇧zxcvbnm⌫', '§, .⏎'],
  capitals: ['1234567890', 'QWERTYUIOP', 'ASDFGHJKL', '⇧ZXCVBNM⌫', '§, .⏎'],
  symbols: ['1234567890', '@#$_&-+()/', '*"\':;!?', '⇧~`|{}^⌫', '§, .⏎'],
  digits: ['123', '456', '789', '.0⌫', '§-⏎'],
  more: ['1234567890', '=[]<>\\%', '@#$_&-+', '⇧()/*"\'⌫', '§, .⏎'],
}

/** Width in columns of keys that are wider than one column. */
const KEY_WIDTHS: Readonly<Record<string, number>> = { ' ': 4, '§': 2, '⏎': 2, '⇧': 1.5, '⌫': 1.5 }
const KEY_LABELS: Readonly<Record<string, string>> = { ' ': '', '⏎': 'go', '⇧': '^', '⌫': '<' }

export function layoutKeys(device: Device): readonly PlacedKey[] {
  const top = keyboardTop(device)
  if (top === undefined) return []
  const { page } = device.keyboard
  return KEY_ROWS[page].flatMap((row, index) => placeRow(device, row, top + index * ROW_HEIGHT))
}

export function keyAt(device: Device, x: number, y: number): PlacedKey | undefined {
  return layoutKeys(device).find((key) => contains(key.rect, x, y))
}

/** Finds a page that has the character. The current page comes first. */
export function findPage(char: string, current: Keyboard['page']): Keyboard['page'] | undefined {
  const pages: Keyboard['page'][] = [current, 'letters', 'capitals', 'symbols', 'more']
  return pages.find((page) => KEY_ROWS[page].some((row) => !isSpecialKey(char) && row.includes(char)))
}

function placeRow(device: Device, row: string, top: number): PlacedKey[] {
  const marks = Array.from(row)
  const total = marks.reduce((sum, mark) => sum + (KEY_WIDTHS[mark] ?? 1), 0)
  const unit = device.screen.width / Math.max(device.keyboard.page === 'digits' ? 4 : 10, total)
  let left = (device.screen.width - unit * total) / 2
  return marks.map((mark) => {
    const right = left + unit * (KEY_WIDTHS[mark] ?? 1)
    const rect = {
      left: Math.round(left),
      top,
      right: Math.round(right),
      bottom: top + ROW_HEIGHT,
    }
    left = right
    const cap = toKeyCap(mark, device.keyboard.page)
    return { cap, label: formatKeyLabel(mark, device.keyboard.page), rect }
  })
}

function isSpecialKey(char: string): boolean {
  return char === '§' || char === '⇧' || char === '⌫' || char === '⏎'
}

function toKeyCap(mark: string, page: Keyboard['page']): KeyCap {
  if (mark === '⌫') return { kind: 'delete' }
  if (mark === '⏎') return { kind: 'enter' }
  if (mark === '§') return { kind: 'page', page: isLetters(page) ? 'symbols' : 'letters' }
  if (mark === '⇧') return { kind: 'page', page: SHIFTED_PAGES[page] }
  return { kind: 'char', char: mark }
}

const SHIFTED_PAGES: Readonly<Record<Keyboard['page'], Keyboard['page']>> = {
  letters: 'capitals',
  capitals: 'letters',
  symbols: 'more',
  more: 'symbols',
  digits: 'letters',
}

function isLetters(page: Keyboard['page']): boolean {
  return page === 'letters' || page === 'capitals'
}

function formatKeyLabel(mark: string, page: Keyboard['page']): string {
  if (mark === '§') return isLetters(page) ? '?123' : 'ABC'
  return KEY_LABELS[mark] ?? mark
}
