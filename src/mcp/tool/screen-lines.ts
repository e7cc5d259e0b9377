import type { ElementRef, Snapshot, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import { buildElementRef } from '../../screen/element-ref.ts'

const MAX_WORDS = 120
const MAX_REFS = 2000
const MAX_LINES = 120

export interface ScreenLine {
  readonly ref: string
  /** The line without its reference, to compare readings. */
  readonly words: string
}

/** The elements that a session has seen, by a reference that names one element of one reading. */
export class ScreenRefs {
  readonly #refs = new Map<string, { readonly serial: string; readonly element: ElementRef }>()
  readonly #screens = new Map<string, readonly ScreenLine[]>()
  #last = 0

  /** Gives each element worth mentioning a reference and describes it in a line. */
  remember(serial: string, snapshot: Snapshot): readonly ScreenLine[] {
    const lines = snapshot.elements.filter(isWorthMentioning).map((element) => {
      this.#last += 1
      const ref = `e${this.#last}`
      this.#refs.set(ref, { serial, element: buildElementRef(element, snapshot) })
      return { ref, words: describeElement(element) }
    })
    this.#screens.set(serial, lines)
    for (const ref of this.#refs.keys()) {
      if (this.#refs.size <= MAX_REFS) break
      this.#refs.delete(ref)
    }
    return lines
  }

  find(serial: string, ref: string): ElementRef | undefined {
    const found = this.#refs.get(ref)
    return found?.serial === serial ? found.element : undefined
  }

  /** The lines of the last reading of a phone. */
  lastLines(serial: string): readonly ScreenLine[] {
    return this.#screens.get(serial) ?? []
  }
}

/** The lines of a screen from a place on. What is left out can be read with `see_screen`. */
export function formatPage(lines: readonly ScreenLine[], from = 0): string {
  const listed = lines.slice(from, from + MAX_LINES)
  const end = from + listed.length
  const rest = lines.length - end
  const more = rest > 0 ? [`${rest} more elements: see_screen with from=${end}`] : []
  return [...listed.map(({ ref, words }) => `${ref} ${words}`), ...more].join('\n')
}

/** What is new and what is gone. Undefined if so much changed that the whole screen is shorter to read. */
export function formatChange(before: readonly ScreenLine[], after: readonly ScreenLine[]): string | undefined {
  const gone = subtract(before, after)
  const fresh = subtract(after, before)
  if (gone.length + fresh.length === 0) return ''
  if (fresh.length > after.length / 2) return undefined
  return [
    ...cut(
      fresh.map(({ ref, words }) => `+ ${ref} ${words}`),
      'new',
    ),
    ...cut(
      gone.map(({ words }) => `- ${words}`),
      'gone',
    ),
  ].join('\n')
}

const cut = (lines: readonly string[], what: string): readonly string[] =>
  lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), `${lines.length - MAX_LINES} more are ${what}: see_screen shows all`]

/** The lines of the first list that the second lacks, counting repeated ones. */
function subtract(lines: readonly ScreenLine[], others: readonly ScreenLine[]): ScreenLine[] {
  const counts = new Map<string, number>()
  for (const { words } of others) counts.set(words, (counts.get(words) ?? 0) + 1)
  return lines.filter(({ words }) => {
    const left = counts.get(words) ?? 0
    counts.set(words, left - 1)
    return left <= 0
  })
}

const isWorthMentioning = ({ visible, label, text, content_description, ...element }: SnapshotElement): boolean =>
  visible &&
  ((text ?? '') !== '' ||
    (content_description ?? '') !== '' ||
    element.checkable ||
    element.role === 'text_field' ||
    (element.clickable && (label !== '' || element.children.length === 0)))

function describeElement(element: SnapshotElement): string {
  const { role, label, state, scrollable, clickable, password } = element
  const kind = role === null || role === 'container' ? (clickable ? 'item' : 'text') : role.replaceAll('_', ' ')
  const words = label.replaceAll(/\s+/g, ' ').trim()
  const shown = words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words
  const value = state.text_value !== undefined && state.text_value !== label ? state.text_value : undefined
  const marks = [
    ...(state.checked === undefined ? [] : [state.checked ? 'on' : 'off']),
    ...(state.selected === true ? ['selected'] : []),
    ...(state.enabled === false ? ['disabled'] : []),
    ...(state.expanded === true ? ['expanded'] : []),
    ...(scrollable ? ['scrolls'] : []),
    ...(value === undefined || password ? [] : [`= ${JSON.stringify(value)}`]),
  ]
  return `${kind} ${JSON.stringify(shown)}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`
}
