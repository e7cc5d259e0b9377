import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'

const MASK = '•••'

/** Masks typed texts wherever they occur, and titles of windows. Empty texts stay empty. */
export function redactEvents(events: readonly RecordingEvent[]): readonly RecordingEvent[] {
  const typed = listTypedPatterns(events)
  return events.map((event): RecordingEvent => {
    switch (event.type) {
      case 'window_change':
        return { ...event, title: maskText(event.title ?? null) }
      case 'text_change':
        return { ...event, text: event.text === '' ? '' : MASK }
      case 'click': {
        const text = maskTyped(event.text, typed)
        return { ...event, text, contentDesc: maskTyped(event.contentDesc, typed) }
      }
      case 'scroll':
      case 'press_key':
        return event
    }
  })
}

/** More texts than a person types. Beyond them whole labels are masked, which takes no search. */
const MAX_TYPED_TEXTS = 200

/** The patterns of typed texts, the longest first, so that a text is masked before a part of it; undefined if too many. */
function listTypedPatterns(events: readonly RecordingEvent[]): readonly RegExp[] | undefined {
  const typed = events.flatMap((event) => (event.type === 'text_change' ? [event.text.trim()] : []))
  const texts = [...new Set(typed)].filter((text) => text !== '')
  if (texts.length > MAX_TYPED_TEXTS) return undefined
  return texts.toSorted((a, b) => b.length - a.length).map(toTypedPattern)
}

/** A text of less than four characters is masked only as a whole word. */
function toTypedPattern(text: string): RegExp {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  const wholeWord = String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`
  return new RegExp(text.length >= 4 ? escaped : wholeWord, 'gu')
}

function maskText(text: string | null): string | null {
  return text === null || text === '' ? text : MASK
}

function maskTyped(label: string | null, typed: readonly RegExp[] | undefined): string | null {
  if (label === null || typed === undefined) return maskText(label)
  return typed.reduce((masked, pattern) => masked.replaceAll(pattern, MASK), label)
}
