import type { Device } from './device.ts'
import type { FieldControl, View } from './view.ts'
import { visibleViews } from './view.ts'
import { activeWindow, findView } from './window.ts'

/** The field that has the focus, if it is still on the screen. */
export function focusedField(device: Device): FieldControl | undefined {
  const window = activeWindow(device)
  if (window === undefined || device.focus === undefined) return undefined
  return findView(window.root, device.focus.key)?.field
}

/** Gives a field the focus with the cursor at the end, and brings the keyboard up. */
export function focusField(device: Device, windowId: number, view: View): void {
  if (view.field === undefined) return
  const cursor = view.field.read().length
  device.focus = { windowId, key: view.key, cursor, marked: false }
  device.keyboard.hidden = false
  device.keyboard.page = 'letters'
}

export function focusNextField(device: Device): void {
  const window = activeWindow(device)
  if (window === undefined) return
  const fields = [...visibleViews(window.root)].filter((view) => view.field && view.enabled)
  const at = fields.findIndex((view) => view.key === device.focus?.key)
  const next = fields[at + 1]
  if (next !== undefined) focusField(device, window.id, next)
}

/** Types at the cursor; marked text is replaced. Without a focused field nothing happens. */
export function insertText(device: Device, text: string): void {
  if (text === '') return
  edit(device, (value, cursor, marked) =>
    marked
      ? { value: text, cursor: text.length }
      : {
          value: value.slice(0, cursor) + text + value.slice(cursor),
          cursor: cursor + text.length,
        },
  )
}

export function deleteText(device: Device, direction: 'before' | 'after'): void {
  edit(device, (value, cursor, marked) => {
    if (marked) return { value: '', cursor: 0 }
    const before = Array.from(value.slice(0, cursor))
    const after = Array.from(value.slice(cursor))
    if (direction === 'before') before.pop()
    else after.shift()
    const left = before.join('')
    return { value: left + after.join(''), cursor: left.length }
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
  focus.marked = false
}

export function markAll(device: Device): void {
  const field = focusedField(device)
  if (field === undefined || device.focus === undefined) return
  device.focus.marked = field.read() !== ''
}

export function copyMarked(device: Device, remove: boolean): void {
  const field = focusedField(device)
  if (field === undefined || device.focus?.marked !== true) return
  device.clipboard = field.read()
  if (remove) replaceText(device, '')
}

interface Edited {
  readonly value: string
  readonly cursor: number
}

function edit(
  device: Device,
  change: (value: string, cursor: number, marked: boolean) => Edited,
): void {
  const field = focusedField(device)
  const focus = device.focus
  if (field === undefined || focus === undefined) return
  const value = field.read()
  const edited = change(value, Math.min(focus.cursor, value.length), focus.marked)
  if (edited.value !== value) field.write(edited.value)
  focus.cursor = Math.min(edited.cursor, field.read().length)
  focus.marked = false
}
