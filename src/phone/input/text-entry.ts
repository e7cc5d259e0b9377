import type { Device } from '../model/device.ts'
import type { FieldControl, View } from '../model/view.ts'
import { visibleViews } from '../model/view.ts'
import { activeWindow, findView } from '../windows/window.ts'

/** The focused field, if it is on the active window. */
export function focusedField(device: Device): FieldControl | undefined {
  const window = activeWindow(device)
  if (window === undefined || device.focus === undefined) return undefined
  return findView(window.root, device.focus.key)?.field
}

/** Focuses a field, sets the cursor to the end of its text and displays the keyboard. */
export function focusField(device: Device, windowId: number, view: View): void {
  if (view.field === undefined) return
  const cursor = view.field.read().length
  device.focus = { windowId, key: view.key, cursor, allSelected: false }
  device.keyboard.hidden = false
  device.keyboard.page = view.field.keyboard
}

export function focusNextField(device: Device): void {
  const window = activeWindow(device)
  if (window === undefined) return
  const fields = [...visibleViews(window.root)].filter((view) => view.field && view.enabled)
  const at = fields.findIndex((view) => view.key === device.focus?.key)
  const next = fields[at + 1]
  if (next !== undefined) focusField(device, window.id, next)
}

/** Inserts text at the cursor or replaces the selected text. No-op without a focused field. */
export function insertText(device: Device, text: string): void {
  if (text === '') return
  const characters = Array.from(text)
  // A field that passes the focus on takes one character at a time.
  if (characters.length > 1 && focusedField(device)?.advanceAt !== undefined) {
    for (const character of characters) insertText(device, character)
    return
  }
  edit(device, (value, cursor, allSelected) =>
    allSelected
      ? { value: text, cursor: text.length }
      : {
          value: value.slice(0, cursor) + text + value.slice(cursor),
          cursor: cursor + text.length,
        },
  )
}

export function deleteText(device: Device, direction: 'before' | 'after'): void {
  edit(device, (value, cursor, allSelected) => {
    if (allSelected) return { value: '', cursor: 0 }
    const before = Array.from(value.slice(0, cursor))
    const after = Array.from(value.slice(cursor))
    if (direction === 'before') before.pop()
    else after.shift()
    const prefix = before.join('')
    return { value: prefix + after.join(''), cursor: prefix.length }
  })
}

export function replaceText(device: Device, text: string): void {
  edit(device, () => ({ value: text, cursor: text.length }))
}

export function moveCursor(device: Device, to: 'start' | 'end' | 'left' | 'right'): void {
  const field = focusedField(device)
  const focus = device.focus
  if (field === undefined || focus === undefined) return
  const { length } = field.read()
  const target = { start: 0, end: length, left: focus.cursor - 1, right: focus.cursor + 1 }[to]
  focus.cursor = Math.min(length, Math.max(0, target))
  focus.allSelected = false
}

export function selectAll(device: Device): void {
  const field = focusedField(device)
  if (field === undefined || device.focus === undefined) return
  device.focus.allSelected = field.read() !== ''
}

export function copySelection(device: Device, remove: boolean): void {
  const field = focusedField(device)
  if (field === undefined || device.focus?.allSelected !== true) return
  device.clipboard = field.read()
  if (remove) replaceText(device, '')
}

interface EditResult {
  readonly value: string
  readonly cursor: number
}

function edit(device: Device, change: (value: string, cursor: number, allSelected: boolean) => EditResult): void {
  const field = focusedField(device)
  const focus = device.focus
  if (field === undefined || focus === undefined) return
  const value = field.read()
  const edited = change(value, Math.min(focus.cursor, value.length), focus.allSelected)
  if (edited.value !== value) field.write(edited.value)
  const { length } = field.read()
  focus.cursor = Math.min(edited.cursor, length)
  focus.allSelected = false
  if (edited.value.length > value.length && length >= (field.advanceAt ?? Number.POSITIVE_INFINITY)) {
    focusNextField(device)
  }
}
